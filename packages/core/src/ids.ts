/** Shapes of ids and cursors. Making ids needs randomness, so it is a port; reading them is pure. */
import { AppError } from './errors.ts'

/** Makes ids: `uuid` for sessions and runs, `prefixed` for messages, approvals and the like. */
export interface Ids {
  readonly uuid: () => string
  readonly prefixed: (prefix: string) => string
}

/** A session's integer alias: the first 48 bits of its UUID, so no table has to hold it. */
export const threadNo = (sessionId: string): number =>
  Number.parseInt(sessionId.replaceAll('-', '').slice(0, 12), 16)

/** The id prefix for a thread number; undefined if the number is invalid. */
export function threadPrefix(no: number): string | undefined {
  if (!Number.isSafeInteger(no) || no < 0 || no >= 2 ** 48) return undefined
  const hex = no.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

/**
 * Idempotency keys of answers. The first answer to an item takes the key, on any wire; so does the clock when an
 * item expires.
 */
export const outputKey = (messageId: string, callId: string): string => `out:${messageId}:${callId}`
export const approvalKey = (approvalId: string): string => `apr:${approvalId}`

/** The note that names the calls which a call must come after, because they touch the same thing. */
export const heldNote = (callId: string): string => `held:${callId}`

/** A place in a wire's stream: frame `k` of the event at `seq`, in the history of that name when it is not the first one. */
export type Cursor = { readonly seq: number; readonly k: number; readonly lineage?: string }
export const START: Cursor = { seq: 0, k: Number.MAX_SAFE_INTEGER }

export const encodeCursor = (sessionId: string, seq: number, k: number): string => `${sessionId}.${seq}.${k}`

/** The prefix of a session's cursors in a history of this name; see `lineage` of the store. */
export const cursorName = (sessionId: string, lineage: string): string =>
  lineage === '' ? sessionId : `${sessionId}~${lineage}`

/** Reads `<session>.<seq>.<k>`, `<session>~<lineage>.<seq>.<k>`, `<session>.<seq>` or a bare `<seq>`. Refuses another session's cursor. */
export function decodeCursor(text: string, sessionId: string): Cursor {
  const bare = /^\d{1,15}$/.test(text)
  const parts = /^(.+?)\.(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text)
  if (bare) return { seq: Number(text), k: Number.MAX_SAFE_INTEGER }
  if (!parts) throw new AppError('invalid_cursor', 'A cursor has the form <session>.<seq>.<frame> or <seq>.')
  const [, name = '', seq, k] = parts
  const isNamed = name.startsWith(`${sessionId}~`)
  if (name !== sessionId && !isNamed)
    throw new AppError('invalid_cursor', 'This cursor belongs to another session.')
  return {
    seq: Number(seq),
    k: k === undefined ? Number.MAX_SAFE_INTEGER : Number(k),
    ...(isNamed ? { lineage: name.slice(sessionId.length + 1) } : {}),
  }
}
