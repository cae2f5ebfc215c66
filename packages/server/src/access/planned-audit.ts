/**
 * Entries of the audit trail for decisions that are about to be written to a log. Each is kept before its decision,
 * apart from the trail, and moves there when the log has it. What a server that died left behind is settled by the
 * next one from the log: no decision is without its entry, and no entry without its decision.
 */
import { type Rec, type Records, readPages } from '@toolwire/core'
import type { LogReader } from '@toolwire/session'
import { z } from 'zod'
import { AuditEntry, addAudit } from './audit.ts'

const KIND = 'audit_planned'
/** No write takes that long: an entry that the log lacks by then never happened. */
const FORGET_MS = 24 * 60 * 60 * 1000

const PlannedAudit = z.object({
  entry: AuditEntry,
  session: z.string(),
  /** The decision in the log: together they are of one request alone. */
  run_id: z.string(),
  approval_id: z.string(),
})
export type PlannedAudit = z.infer<typeof PlannedAudit>

/** Resolves when it is kept; throws what the store throws, and then the decision must not be written. */
export async function planAudit(records: Records, planned: PlannedAudit): Promise<void> {
  await records.put(KIND, idOf(planned), planned)
}

/** `counts`: the log has the decision. The same entry twice is one. */
export async function settleAudit(records: Records, planned: PlannedAudit, counts: boolean): Promise<void> {
  if (counts) await addAudit(records, planned.entry, idOf(planned))
  await records.remove(KIND, idOf(planned))
}

/** Settles what is left of servers that died. What another one is just writing stays. */
export async function settleLeftAudits(records: Records, log: LogReader, now: Date): Promise<void> {
  for (const { value } of await records.list(KIND)) {
    const planned = PlannedAudit.parse(value)
    const counts = await isInLog(log, planned)
    const age = now.getTime() - Date.parse(planned.entry.ts)
    if (counts || age > FORGET_MS) await settleAudit(records, planned, counts)
  }
}

const idOf = ({ run_id, approval_id }: PlannedAudit): string => `${run_id}.${approval_id}`

async function isInLog(log: LogReader, { session, run_id, approval_id }: PlannedAudit): Promise<boolean> {
  const isIt = ({ ev }: Rec): boolean =>
    ev.type === 'input.approval' && ev.approval_id === approval_id && ev.run_id === run_id
  for await (const page of readPages(log, session, { after: 0 })) if (page.some(isIt)) return true
  return false
}
