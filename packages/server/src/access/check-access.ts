/**
 * The door: finds the principal of every request, by its key, browser token or JSON web token (`Authorization: Bearer …`
 * or `x-api-key`), by a ticket, or by the sign-in of the application, and checks scope, limits and budget. The route
 * then works for that principal alone.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError, type Records } from '@toolwire/core'
import type { Client } from '../http/exchange.ts'
import type { ServedExchange } from '../http/served-exchange.ts'
import { isLoopback, type ServerSettings } from '../settings.ts'
import type { SignedInCaller, SignIn } from './authenticate.ts'
import { isBrowserToken } from './browser-token.ts'
import type { Credentials } from './credentials.ts'
import type { JwtSignIn } from './jwt/jwt-sign-in.ts'
import { createLimiter } from './limiter.ts'
import type { OpenRequests } from './open-requests.ts'
import { mustHave, type Principal, type Scope } from './principal.ts'
import { createSharedRate, type RateState } from './shared-rate.ts'
import { checkBudget } from './spending.ts'
import { redeemTicket } from './tickets.ts'

export interface AccessOptions {
  readonly credentials: Credentials
  readonly openRequests: OpenRequests
  readonly records?: Records | undefined
  /** Asked where a request has no key of this server. */
  readonly signIn?: SignIn | undefined
  /** Decides alone on tokens of its issuers. */
  readonly jwt?: JwtSignIn | undefined
  readonly settings: Pick<ServerSettings, 'strangers' | 'allowedOrigins' | 'shared'>
  /** For expiry. */
  readonly now: () => Date
}

/** Sets the principal of the exchange. Throws `unauthorized`, `forbidden`, `too_many_requests` or `quota_exceeded`. */
export type AccessCheck = (exchange: ServedExchange) => Promise<void>

export function createAccessCheck(options: AccessOptions): AccessCheck {
  const { credentials, openRequests, records, signIn, jwt, settings, now } = options
  const limiter = createLimiter()
  const rate = createSharedRate(settings.shared ? records : undefined, now)

  async function enter(exchange: ServedExchange, scope: Scope, caller: SignedInCaller): Promise<void> {
    const { principal, expiresAt } = caller
    const { client } = exchange
    exchange.principal = principal
    mustHave(principal, scope)
    checkReach(principal, exchange)
    await takeFromRates(exchange)
    client.onClose(limiter.enter(principal))
    if (expiresAt !== undefined) endAfter(client, expiresAt - now().getTime())
    if (exchange.method === 'POST') await checkBudget(records, principal, now())
  }
  /** A browser token has a rate, and takes from the one of its key. The headers are of the one with less left. */
  async function takeFromRates(exchange: ServedExchange): Promise<void> {
    const { principal } = exchange
    for (const one of [principal, principal.token?.maker]) {
      const state = one && (await rate.take(one))
      if (state) showRate(exchange, state)
      if (state?.wait !== undefined)
        throw new AppError('too_many_requests', `This API key allows ${state.limit} requests a minute.`, {
          retry_after: state.wait,
        })
    }
  }
  /** By a key, token or ticket of this server: open responses end with it. */
  async function enterByCredential(
    exchange: ServedExchange,
    scope: Scope,
    principal: Principal,
  ): Promise<void> {
    checkTokenOrigin(principal, exchange)
    await enter(exchange, scope, { principal, expiresAt: undefined })
    openRequests.add(principal.credential ?? null, exchange.client)
  }
  async function enterBySignIn(exchange: ServedExchange, scope: Scope, ask: SignIn): Promise<void> {
    checkCookieOrigin(exchange)
    await enterAs(exchange, scope, await ask(exchange.host.toRequest()))
  }
  async function enterAs(
    exchange: ServedExchange,
    scope: Scope,
    caller: SignedInCaller | undefined,
  ): Promise<void> {
    if (!caller || isOver(caller, now())) throw new AppError('unauthorized')
    await enter(exchange, scope, caller)
  }
  function enterAsStranger({ host, client }: ServedExchange): void {
    if (settings.strangers === 'loopback' && !isLoopback(plain(host.remoteAddress)))
      throw new AppError('forbidden', 'This server has no sign-in: only this machine may call it.')
    openRequests.add(null, client)
  }
  /** The holder of a key, token or ticket of this server. Undefined where none of them was sent, or none is needed. */
  async function findHolder(
    exchange: ServedExchange,
    text: string | undefined,
  ): Promise<Principal | undefined> {
    const ticket = ticketIn(exchange)
    if (ticket) return await redeemTicket(records, credentials, ticket, now())
    if (text === undefined) return undefined
    if (!isBrowserToken(text))
      return (await credentials.required()) ? await credentials.find(text) : undefined
    const holder = await credentials.find(text)
    // The sender of a token is never let in as another caller.
    if (!holder) throw new AppError('unauthorized')
    return holder
  }
  return async exchange => {
    rejectSecretInQuery(exchange.url)
    const scope = scopeOf(exchange)
    if (scope === 'open') return
    const { principal } = exchange.host
    if (principal) return await enter(exchange, scope, { principal, expiresAt: undefined })
    const text = keyIn(exchange.headers)
    if (text !== undefined && jwt?.isOurs(text)) return await enterAs(exchange, scope, await jwt.find(text))
    const holder = await findHolder(exchange, text)
    if (holder) return await enterByCredential(exchange, scope, holder)
    if (signIn) return await enterBySignIn(exchange, scope, signIn)
    if (await credentials.required()) throw new AppError('unauthorized')
    enterAsStranger(exchange)
  }
}

function showRate(exchange: ServedExchange, { limit, remaining, reset }: RateState): void {
  const shown = exchange.getHeader('ratelimit-remaining')
  if (shown !== undefined && Number(shown) <= remaining) return
  exchange.setHeaders({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(reset),
  })
}

const isOver = ({ expiresAt }: SignedInCaller, now: Date): boolean =>
  expiresAt !== undefined && expiresAt <= now.getTime()

/** An IPv4 address that came in on an IPv6 socket is the IPv4 address. */
const plain = (address = ''): string => address.replace(/^::ffff:/i, '')

/** Longer waits do not fit a timer; the next request of the caller is checked anyway. */
const MAX_TIMER_MS = 2 ** 31 - 1

function endAfter(client: Client, ms: number): void {
  const timer = setTimeout(() => client.destroy(), Math.min(ms, MAX_TIMER_MS))
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

/** Throws `bad_origin` for a page that the token is not for. Programs send no origin. */
function checkTokenOrigin({ token }: Principal, { headers: { origin } }: ServedExchange): void {
  if (token?.origins && origin !== undefined && !token.origins.includes(origin))
    throw new AppError('bad_origin')
}

/** Throws `forbidden` for what all sessions of an owner share, with a token that is for some of them. */
function checkReach({ token }: Principal, { match }: ServedExchange): void {
  if (token?.sessions !== undefined && match?.route.sharedByOwner)
    throw new AppError('forbidden', 'This token is for its sessions alone.')
}

/** Addresses are logged on their way, and kept by browsers. Throws `bad_request`. */
function rejectSecretInQuery(url: string): void {
  const query = url.indexOf('?')
  if (query === -1 || !SECRET_IN_QUERY.test(url.slice(query))) return
  throw new AppError(
    'bad_request',
    'A key or token in the query is not taken. Send it in the header Authorization, or use a ticket.',
  )
}

/** An API key, a browser token, or a JSON web token as a value. */
const SECRET_IN_QUERY = /=(?:tw_[0-9a-f]{12}_|twt_|eyJ[\w-]{10,}\.[\w-]{2,}\.)/

function ticketIn(exchange: ServedExchange) {
  const { method, query, url } = exchange
  const { ticket } = query
  if (ticket === undefined || method !== 'GET') return undefined
  if (typeof ticket !== 'string') throw new AppError('unauthorized')
  exchange.setHeader('referrer-policy', 'no-referrer')
  return { ticket, path: url.slice(0, url.indexOf('?')) }
}

/** By the route that was found, never by the text of the path: a router takes several spellings for one route. */
const scopeOf = ({ match, method }: ServedExchange): Scope | 'open' =>
  match?.route.scope ?? (SAFE_METHODS.includes(method) ? 'read' : 'write')

/** Throws `bad_request` for two of them: parties on the way could each read another one. */
function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const { authorization = '' } = headers
  if (/^Bearer\b.*\bBearer\b/i.test(authorization))
    throw new AppError('bad_request', 'The header Authorization holds two credentials.')
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return bearer
  const header = headers['x-api-key']
  return typeof header === 'string' ? header : undefined
}
