/**
 * A message that was accepted but not sent yet: kept in the log as a note, so that its token
 * works once and after a restart. The log holds a digest of the token's secret, never the token.
 */
import type { EventOf, Rec } from '@toolwire/core'
import type { ThreadMessage } from './request.ts'

const NAME = 'thread.prepared.'
const TOKEN = /^run_([A-Za-z0-9-]{1,64})\.([A-Za-z0-9_-]{20,128})$/

export interface PreparedThread {
  readonly message_id: string
  readonly run_id: string
  readonly input: ThreadMessage
  /** The API key that prepared it, where there are keys. */
  readonly key_id?: string
  /** Names the caller; logs of earlier versions have the key alone. */
  readonly credential?: string
}

export const encodeRunToken = (session: string, secret: string): string => `run_${session}.${secret}`

/** The session and the secret of a token; undefined if it is invalid. */
export function decodeRunToken(
  token: string,
): { readonly session: string; readonly secret: string } | undefined {
  const match = TOKEN.exec(token)
  return match?.[1] && match[2] ? { session: match[1], secret: match[2] } : undefined
}

/** The note that keeps a prepared message; with `null`, the one that forgets it once it is sent. */
export const toPreparedNote = (
  digest: string,
  prepared: PreparedThread | null,
): Omit<EventOf<'note'>, 'ts'> => ({
  type: 'note',
  name: NAME + digest,
  value: prepared,
})

/** The prepared message that a record keeps under this digest; undefined for any other record. */
export function readPrepared(rec: Rec, digest: string): PreparedThread | undefined {
  if (rec.ev.type !== 'note' || rec.ev.name !== NAME + digest || rec.ev.value === null) return undefined
  return rec.ev.value as PreparedThread
}
