/** Limits on the number of items in one request, and on one text. Reading takes time per item, however small. */
import { AppError } from '@toolwire/core'

/** More than any model reads at once. */
export const MAX_MESSAGES = 4_000
/** Characters of one text, and of all texts of one message: it is measured, hashed and stored in one piece. */
export const MAX_TEXT = 4_000_000
const MAX_METADATA = 256
/** As many as a model may write: what is done with a message takes time by the number of its parts. */
const MAX_PARTS = 2_000

/** Throws `payload_too_large` that names the field. Comes before the body is read in full. */
export function checkCounts(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const { messages, input, metadata } = body as Readonly<Record<string, unknown>>
  for (const [field, list] of Object.entries({ messages, input }))
    if (Array.isArray(list) && list.length > MAX_MESSAGES) throw tooMany(field, list.length, MAX_MESSAGES)
  const keys = typeof metadata === 'object' && metadata !== null ? Object.keys(metadata).length : 0
  if (keys > MAX_METADATA) throw tooMany('metadata', keys, MAX_METADATA)
}

/** Throws `payload_too_large` for a message of the model with too many parts; `field` names it. */
export function checkParts(parts: readonly unknown[], field: string): void {
  if (parts.length > MAX_PARTS) throw tooMany(field, parts.length, MAX_PARTS)
}

/** Throws `payload_too_large` for a message with more text than any model reads; `field` names it. */
export function checkTexts(parts: readonly object[], field: string): void {
  const size = textSize(parts)
  if (size > MAX_TEXT) throw new AppError('payload_too_large', `${field}: ${size} characters; ${TEXT_LIMIT}`)
}

export const TEXT_LIMIT = `one message has at most ${MAX_TEXT} characters of text`

/** Characters of the parts' texts, those of text documents included. */
export const textSize = (parts: readonly object[]): number =>
  parts
    .flatMap(part => Object.entries(part))
    .reduce((sum, [name, value]) => (name === 'type' ? sum : sum + sizeOf(value)), 0)

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  const { type, data } = Object(value) as { readonly type?: unknown; readonly data?: unknown }
  return type === 'text' && typeof data === 'string' ? data.length : 0
}

const tooMany = (field: string, given: number, max: number): AppError =>
  new AppError('payload_too_large', `${field}: ${given} entries, at most ${max} are allowed`)
