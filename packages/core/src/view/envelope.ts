/** Records as the canonical wire carries them. */
import type { SessionEvent } from '../event.ts'
import type { ViewRecord } from './apply.ts'

/**
 * Reads the envelope of one record. Undefined for anything else. The body is taken as it is: the log's writer has
 * checked it, and a view must survive unknown events.
 */
export function readEnvelope(value: unknown): ViewRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const {
    seq,
    id: _,
    session_id: __,
    ...ev
  } = value as { readonly seq: number; readonly [field: string]: unknown }
  if (typeof ev['type'] !== 'string' || !Number.isSafeInteger(seq) || seq < 1) return undefined
  return { seq, ev: ev as SessionEvent }
}
