/**
 * The door: finds the principal of every request, by its key (`Authorization: Bearer …` or `x-api-key`) or by the
 * sign-in of the application, and checks scope, limits and budget. The route then works for that principal alone.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError, type Records } from '@toolwire/core'
import type { Client } from '../http/exchange.ts'
import type { ServedExchange } from '../http/served-exchange.ts'
import { isLoopback, type ServerSettings } from '../settings.ts'
import type { SignedInCaller, SignIn } from './authenticate.ts'
import type { KeyRegistry } from './key-registry.ts'
import { createLimiter } from './limiter.ts'
import type { OpenRequests } from './open-requests.ts'
import { mustHave, type Scope } from './principal.ts'
import { checkBudget } from './spending.ts'

export interface AccessOptions {
  readonly keys: KeyRegistry
  readonly openRequests: OpenRequests
  readonly records?: Records | undefined
  /** Asked where a request has no key of this server. */
  readonly signIn?: SignIn | undefined
  readonly settings: Pick<ServerSettings, 'strangers' | 'allowedOrigins'>
}

/** Sets the principal of the exchange. Throws `unauthorized`, `forbidden`, `too_many_requests` or `quota_exceeded`. */
export type AccessCheck = (exchange: ServedExchange) => Promise<void>

export function createAccessCheck(options: AccessOptions): AccessCheck {
  const { keys, openRequests, records, signIn, settings } = options
  const limiter = createLimiter()

  async function enter(exchange: ServedExchange, scope: Scope, caller: SignedInCaller): Promise<void> {
    const { principal, expiresAt } = caller
    const { client } = exchange
    exchange.principal = principal
    mustHave(principal, scope)
    client.onClose(limiter.enter(principal))
    if (expiresAt !== undefined) endAt(client, expiresAt)
    if (exchange.method === 'POST') await checkBudget(records, principal)
  }
  /** By a key of this server; false when the request has none. */
  async function enterByKey(exchange: ServedExchange, scope: Scope): Promise<boolean> {
    const key = keyIn(exchange.headers)
    const principal = key === undefined ? undefined : await keys.find(key)
    if (!principal) return false
    await enter(exchange, scope, { principal, expiresAt: undefined })
    openRequests.add(principal.key_id, exchange.client)
    return true
  }
  async function enterBySignIn(exchange: ServedExchange, scope: Scope, ask: SignIn): Promise<void> {
    checkCookieOrigin(exchange)
    const caller = await ask(exchange.host.toRequest())
    if (!caller || isOver(caller)) throw new AppError('unauthorized')
    await enter(exchange, scope, caller)
  }
  function enterAsStranger({ host, client }: ServedExchange): void {
    if (settings.strangers === 'loopback' && !isLoopback(plain(host.remoteAddress)))
      throw new AppError('forbidden', 'This server has no sign-in: only this machine may call it.')
    openRequests.add(null, client)
  }
  return async exchange => {
    const scope = scopeOf(exchange)
    if (scope === 'open') return
    const { principal } = exchange.host
    if (principal) return await enter(exchange, scope, { principal, expiresAt: undefined })
    const isKeyed = await keys.required()
    if (isKeyed && (await enterByKey(exchange, scope))) return
    if (signIn) return await enterBySignIn(exchange, scope, signIn)
    if (isKeyed) throw new AppError('unauthorized')
    enterAsStranger(exchange)
  }
}

const isOver = ({ expiresAt }: SignedInCaller): boolean => expiresAt !== undefined && expiresAt <= Date.now()

/** An IPv4 address that came in on an IPv6 socket is the IPv4 address. */
const plain = (address = ''): string => address.replace(/^::ffff:/i, '')

/** Longer waits do not fit a timer; the next request of the caller is checked anyway. */
const MAX_TIMER_MS = 2 ** 31 - 1

function endAt(client: Client, time: number): void {
  const timer = setTimeout(() => client.destroy(), Math.min(time - Date.now(), MAX_TIMER_MS))
  timer.unref()
  client.onClose(() => clearTimeout(timer))
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Browsers add cookies to requests of foreign pages. A change that comes with cookies must be known to come from a
 * page of this host: an `Origin` has been compared before. Throws `bad_origin`.
 */
function checkCookieOrigin({ method, headers }: ServedExchange): void {
  if (SAFE_METHODS.includes(method) || headers.cookie === undefined || headers.origin !== undefined) return
  const site = headers['sec-fetch-site']
  if (site !== 'same-origin' && site !== 'none') throw new AppError('bad_origin')
}

/** By the route that was found, never by the text of the path: a router takes several spellings for one route. */
const scopeOf = ({ match, method }: ServedExchange): Scope | 'open' =>
  match?.route.scope ?? (SAFE_METHODS.includes(method) ? 'read' : 'write')

function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return bearer
  const header = headers['x-api-key']
  return typeof header === 'string' ? header : undefined
}
