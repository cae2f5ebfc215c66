/** The caller, and the headers of a vendor wire's request. */
import { AppError, type RunLimits } from '@toolwire/core'
import { limitFields, parseBody, toLimits } from '@toolwire/wire'
import { z } from 'zod'
import type { Exchange } from '../http/exchange.ts'
import { fingerprint } from './chain.ts'

export interface Caller {
  /** A fingerprint of the key; conversations of different keys never meet. */
  readonly owner: string
  readonly session_id: string | undefined
  readonly server_tools: readonly string[] | undefined
  readonly strict: boolean
  /** A tool that cannot be forced is offered instead. */
  readonly downgrade: boolean
  readonly limits: RunLimits
}

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/

/** Throws `bad_request` for headers of the wrong form. */
export function readCaller(exchange: Exchange): Caller {
  // With keys it is the one that opened the door: the other header may say anything.
  const { key_id } = exchange.principal
  const key = key_id ?? header(exchange, 'authorization') ?? header(exchange, 'x-api-key') ?? ''
  const session_id = header(exchange, 'x-session-id')
  const repair = header(exchange, 'x-tool-repair')
  if (session_id !== undefined && !isSessionId(session_id))
    throw new AppError('bad_request', 'x-session-id: 1 to 128 letters, digits, _ or -')
  if (repair !== undefined && repair !== 'strict' && repair !== 'repair')
    throw new AppError('bad_request', 'x-tool-repair: strict or repair')
  const forced = header(exchange, 'x-forced-tool')
  if (forced !== undefined && forced !== 'refuse' && forced !== 'downgrade')
    throw new AppError('bad_request', 'x-forced-tool: refuse or downgrade')
  return {
    owner: fingerprint(key),
    session_id,
    server_tools: list(header(exchange, 'x-server-tools')),
    strict: repair === 'strict',
    downgrade: forced === 'downgrade',
    limits: readLimits(exchange),
  }
}

const Limits = z.object({
  'x-max-cost-usd': limitFields.max_cost_usd,
  'x-max-total-tokens': limitFields.max_total_tokens,
  'x-max-duration-ms': limitFields.max_duration_ms,
  'x-fallback-models': limitFields.fallback_models,
})

/** These bodies belong to the vendors, so limits travel as headers. */
function readLimits(exchange: Exchange): RunLimits {
  const number = (name: string): number | undefined => {
    const text = header(exchange, name)
    return text === undefined ? undefined : Number(text)
  }
  const given = parseBody(Limits, {
    'x-max-cost-usd': number('x-max-cost-usd'),
    'x-max-total-tokens': number('x-max-total-tokens'),
    'x-max-duration-ms': number('x-max-duration-ms'),
    'x-fallback-models': list(header(exchange, 'x-fallback-models')),
  })
  return toLimits({
    max_cost_usd: given['x-max-cost-usd'],
    max_total_tokens: given['x-max-total-tokens'],
    max_duration_ms: given['x-max-duration-ms'],
    fallback_models: given['x-fallback-models'],
  })
}

const list = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map(name => name.trim())
    .filter(name => name !== '')

export const isSessionId = (id: string): boolean => SESSION_ID.test(id)

function header(exchange: Exchange, name: string): string | undefined {
  const value = exchange.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
