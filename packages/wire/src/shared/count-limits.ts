/** Limits on the number of items in one request. Reading takes time per item, however small. */
import { AppError } from '@toolwire/core'

/** More than any model reads at once. */
export const MAX_MESSAGES = 4_000
const MAX_METADATA = 256

/** Throws `payload_too_large` that names the field. Comes before the body is read in full. */
export function checkCounts(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const { messages, metadata } = body as { readonly messages?: unknown; readonly metadata?: unknown }
  if (Array.isArray(messages) && messages.length > MAX_MESSAGES)
    throw tooMany('messages', messages.length, MAX_MESSAGES)
  const keys = typeof metadata === 'object' && metadata !== null ? Object.keys(metadata).length : 0
  if (keys > MAX_METADATA) throw tooMany('metadata', keys, MAX_METADATA)
}

const tooMany = (field: string, given: number, max: number): AppError =>
  new AppError('payload_too_large', `${field}: ${given} entries, at most ${max} are allowed`)
