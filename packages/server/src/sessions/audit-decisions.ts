/** Audits approvals: each decision in a log has its entry in the audit trail, also if this process dies in between. */
import type { Append, EventOf } from '@toolwire/core'
import type { AuditPort } from '@toolwire/session'
import { planAudit, settleAudit } from '../access/planned-audit.ts'
import { toAuditEntry } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'

type Deps = Pick<ServerContext, 'records' | 'principal' | 'clock'>

/** Undefined without records: there is no trail to write. */
export function createDecisionAudit(deps: Deps): AuditPort | undefined {
  const { records } = deps
  if (!records) return undefined
  return {
    async plan(write) {
      const planned = toPlanned(deps, write)
      if (!planned) return undefined
      await planAudit(records, planned)
      // An answer that came second decided nothing.
      return { settle: isWritten => settleAudit(records, planned, isWritten) }
    },
  }
}

function toPlanned(deps: Deps, { session, events }: Append) {
  const decision = events.find(event => event.type === 'input.approval')
  if (!decision) return undefined
  const { approval_id, run_id = '', ts } = decision
  const entry = toAuditEntry(deps, `approval.${decision.decision}`, {
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
