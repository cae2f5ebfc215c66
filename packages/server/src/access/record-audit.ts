/** Writes what a request decided into the audit trail. Without records there is no trail to write. */
import type { ServerContext } from '../context.ts'
import { addAudit } from './audit.ts'

export interface Audited {
  readonly session_id?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Resolves when it is stored: a decision that cannot be audited is refused with what the store throws. */
export async function recordAudit(
  context: Pick<ServerContext, 'records' | 'principal' | 'clock' | 'ids'>,
  action: string,
  audited: Audited,
): Promise<void> {
  const { records, clock, ids } = context
  if (!records) return
  const { owner, key_id } = context.principal()
  const { session_id, details } = audited
  await addAudit(
    records,
    {
      ts: clock.now().toISOString(),
      action,
      by: key_id ?? 'anybody',
      owner,
      ...(session_id === undefined ? {} : { session_id }),
      ...(details === undefined ? {} : { details }),
    },
    ids.uuid(),
  )
}
