/** Writes what a request decided into the audit trail. Without records there is no trail to write. */
import type { ServerContext } from '../context.ts'
import { type AuditEntry, addAudit } from './audit.ts'

export interface AuditFields {
  readonly session_id?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Keeps entries of one millisecond in the order in which this process recorded them. */
let recorded = 0

type Asker = Pick<ServerContext, 'principal' | 'clock'>

export function toAuditEntry(
  { principal, clock }: Asker,
  action: string,
  { session_id, details }: AuditFields,
): AuditEntry {
  const { owner, key_id } = principal()
  return {
    ts: clock.now().toISOString(),
    action,
    by: key_id ?? 'anybody',
    owner,
    ...(session_id === undefined ? {} : { session_id }),
    ...(details === undefined ? {} : { details }),
  }
}

/**
 * Records a finished action. Resolves when it is stored and throws the store's error: the caller then gets no
 * confirmation and retries. Decisions on calls, which are recorded once, go through `appendAudited`.
 */
export async function recordAudit(
  context: Asker & Pick<ServerContext, 'records' | 'ids'>,
  action: string,
  audited: AuditFields,
): Promise<void> {
  const { records, ids } = context
  if (!records) return
  recorded += 1
  const order = String(recorded).padStart(12, '0')
  await addAudit(records, toAuditEntry(context, action, audited), `${order}-${ids.uuid()}`)
}
