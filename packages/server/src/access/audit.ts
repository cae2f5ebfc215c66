/** The audit trail: who decided on calls and who changed permissions or keys. Entries are only ever added. */
import type { Records } from '@toolwire/core'
import { z } from 'zod'

const KIND = 'audit'

export const AuditEntry = z.object({
  ts: z.string(),
  action: z.string(),
  by: z.string(),
  owner: z.string(),
  session_id: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** Ids sort by time; `unique` keeps entries of one millisecond apart. */
export async function addAudit(records: Records, entry: AuditEntry, unique: string): Promise<void> {
  await records.put(KIND, `${entry.ts}-${unique}`, entry)
}

/** The latest entries of an owner (of all when undefined), oldest first. */
export async function listAudit(
  records: Records,
  owner: string | undefined,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const all = (await records.list(KIND)).map(({ value }) => AuditEntry.parse(value))
  return all.filter(entry => owner === undefined || entry.owner === owner).slice(-limit)
}
