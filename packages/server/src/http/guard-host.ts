/**
 * Refuses requests that a browser was tricked into: names that point here by rebinding
 * (Host), and pages of other sites (Origin). Programs send no Origin and are not concerned.
 */
import { AppError } from '@toolwire/core'
import { isLoopback, type ServerSettings } from '../settings.ts'
import { emptyReply, type Reply } from './reply.ts'
import type { ServedExchange } from './served-exchange.ts'

/** Request headers that routes of this server read. */
const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'user-agent',
  'x-api-key',
  'x-fallback-models',
  'x-forced-tool',
  'x-max-cost-usd',
  'x-max-duration-ms',
  'x-max-total-tokens',
  'x-request-id',
  'x-server-tools',
  'x-session-id',
  'x-tool-repair',
]
/** Further ones that the vendors' clients send: they add new ones with every release. */
const VENDOR_HEADER = /^(anthropic|openai|x-stainless|x-client)-[a-z0-9-]{1,64}$/
const MAX_VENDOR_HEADERS = 64

/** Response headers that scripts of allowed origins may read. */
const EXPOSED_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-error-code',
  'x-request-id',
  'x-run-id',
  'x-session-cursor',
  'x-session-head',
  'x-session-id',
  'x-should-retry',
  'x-token-count',
  'x-toolwire-warnings',
  'x-upstream-model',
].join(', ')
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Checks every request before anything else reads it. Returns the response to a preflight request. */
export function checkRequest(exchange: ServedExchange, settings: ServerSettings): Reply | undefined {
  checkHost(exchange, settings)
  const { origin } = exchange.headers
  if (origin === undefined) return undefined
  checkOrigin(origin, exchange, settings)
  return settings.allowedOrigins.includes(origin) ? allowOrigin(origin, exchange) : undefined
}

/** Throws `bad_host` unless the name is a loopback one, the bound one, or configured. */
function checkHost({ headers, host }: ServedExchange, settings: ServerSettings): void {
  const name = hostName(headers.host)
  if (name === undefined) throw new AppError('bad_host')
  if (settings.anyHost && settings.allowedHosts.length === 0) return
  if (isLoopback(name) || name === bare(settings.host)) return
  if (settings.allowedHosts.some(host => host.toLowerCase() === name)) return
  // Bound to every address: the one that this connection came in by is as good as bound.
  const local = host.localAddress
  if (isWildcard(settings.host) && local !== undefined && name === local.replace(/^::ffff:/, '')) return
  throw new AppError('bad_host')
}

const isWildcard = (host: string): boolean => host === '0.0.0.0' || bare(host) === '::'
const bare = (host: string): string => host.toLowerCase().replace(/^\[|\]$/g, '')

/** The name in a Host header, without port and brackets; undefined if invalid. */
function hostName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i.exec(header)
  return match?.[1] === undefined ? undefined : bare(match[1])
}

/** Throws `bad_origin` unless the page comes from this server or a configured origin. */
function checkOrigin(origin: string, { headers }: ServedExchange, settings: ServerSettings): void {
  if (settings.allowedOrigins.includes(origin)) return
  const own = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  if (own === undefined || own.toLowerCase() !== headers.host?.toLowerCase()) throw new AppError('bad_origin')
}

function allowOrigin(origin: string, exchange: ServedExchange): Reply | undefined {
  const { method, headers } = exchange
  exchange.setHeaders({
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers': EXPOSED_HEADERS,
  })
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined
  const asked = headers['access-control-request-headers'] ?? ''
  exchange.setHeaders({
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': [...ALLOWED_HEADERS, ...vendorHeaders(asked)].join(', '),
    'access-control-max-age': '600',
  })
  return emptyReply(204)
}

const vendorHeaders = (asked: string): readonly string[] =>
  asked
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => VENDOR_HEADER.test(name))
    .slice(0, MAX_VENDOR_HEADERS)
