/** Writes answers so that each decision among them is in the audit trail, also when this process dies in between. */
import type { Append, Appended, EventOf } from '@toolwire/core'
import { type Planned, planAudit, settleAudit } from './access/planned-audit.ts'
import { toAuditEntry } from './access/record-audit.ts'
import type { ServerContext } from './context.ts'

/** Appends them as one call and wakes the runtime. A decision that cannot be audited is refused: then nothing is written. */
export async function appendAudited(
  context: ServerContext,
  writes: readonly Append[],
): Promise<readonly Appended[]> {
  const { records } = context
  const planned = records ? writes.map(write => toPlanned(context, write)) : []
  for (const one of planned) if (records && one) await planAudit(records, one)
  const stored = await context.store.append(writes)
  try {
    // Only what counts: an answer that came second decided nothing.
    for (const [i, one] of planned.entries())
      if (records && one) await settleAudit(records, one, 'head' in (stored[i] ?? {}))
  } finally {
    for (const { session } of writes) context.runtime.wake(session)
  }
  return stored
}

function toPlanned(context: ServerContext, { session, events }: Append): Planned | undefined {
  const decision = events.find(event => event.type === 'input.approval')
  if (!decision) return undefined
  const { approval_id, run_id = '', ts } = decision
  const entry = toAuditEntry(context, `approval.${decision.decision}`, {
    session_id: session,
    details: toDetails(decision),
  })
  return { entry: { ...entry, ts }, session, run_id, approval_id }
}

const toDetails = ({ approval_id, call_id, rule, rule_expires_at }: EventOf<'input.approval'>) => ({
  approval_id,
  call_id,
  ...(rule === undefined ? {} : { rule }),
  ...(rule_expires_at === undefined ? {} : { rule_expires_at }),
})
