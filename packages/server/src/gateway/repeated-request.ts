/**
 * Recognizes requests that a client sends again: by an Idempotency-Key, by the turn of codex, or by the retry count of
 * OpenAI's clients. A repetition is the same request of the same caller, whatever its `client_metadata` says.
 */
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import type { Caller } from './caller.ts'
import { fingerprint } from './chain.ts'
import type { KeyedRequest } from './receipts.ts'

/** Retries of OpenAI's clients follow each other within this time. */
const RETRY_MS = 60_000

/** The key of a request that may be repeated; undefined for any other. `hasMarks`: also by the marks of Responses clients. */
export function readRepeatKey(
  request: Exchange,
  caller: Caller,
  { hasMarks = false }: { readonly hasMarks?: boolean } = {},
): KeyedRequest | undefined {
  const path = request.url.split('?', 1)[0]
  const { owner, ...settings } = caller
  const { client_metadata, ...body } = Object(request.body) as Record<string, unknown>
  const key = readIdempotencyKey(request)
  const sent = hasMarks ? body : request.body
  if (key !== undefined)
    return { id: fingerprint([owner, path, key]), request: fingerprint([sent, settings]) }
  if (!hasMarks) return undefined
  const turn = readTurn(client_metadata)
  const retries = readRetries(request)
  if (turn === undefined && retries === undefined) return undefined
  const whole = fingerprint([sent, settings])
  if (turn !== undefined) return { id: fingerprint([owner, path, 'turn', turn, whole]), request: whole }
  const id = fingerprint([owner, path, 'retry', whole])
  return { id, request: whole, maxAgeMs: RETRY_MS, isNew: retries === 0 }
}

/** The turn of codex that a request belongs to. */
export function readTurn(client_metadata: unknown): string | undefined {
  const { turn_id } = Object(client_metadata) as { readonly turn_id?: unknown }
  return typeof turn_id === 'string' && turn_id !== '' ? turn_id.slice(0, 256) : undefined
}

function readRetries(request: Exchange): number | undefined {
  const count = request.headers['x-stainless-retry-count']
  return typeof count === 'string' && /^\d{1,3}$/.test(count) ? Number(count) : undefined
}
