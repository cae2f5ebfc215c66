/**
 * Refuses requests that a browser was tricked into: names that point here by rebinding
 * (Host), and pages of other sites (Origin). Programs send no Origin and are not concerned.
 */
import { AppError } from '@toolwire/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback, type ServerConfig } from './config.ts'

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

/** Checks every request before anything else looks at it. */
export function installGuards(app: FastifyInstance, config: ServerConfig): void {
  app.addHook('onRequest', async (request, reply) => {
    checkHost(request, config)
    const { origin } = request.headers
    if (origin === undefined) return
    checkOrigin(origin, request, config)
    if (config.allowedOrigins.includes(origin)) return allowOrigin(origin, request, reply)
  })
}

/** Throws `bad_host` unless the name is a loopback one, the bound one, or configured. */
function checkHost(request: FastifyRequest, config: ServerConfig): void {
  const name = hostName(request.headers.host)
  if (name === undefined) throw new AppError('bad_host')
  if (isLoopback(name) || name === bare(config.host)) return
  if (config.allowedHosts.some(host => host.toLowerCase() === name)) return
  // Bound to every address: the one that this connection came in by is as good as bound.
  const local = request.socket.localAddress
  if (isWildcard(config.host) && local !== undefined && name === local.replace(/^::ffff:/, '')) return
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
function checkOrigin(origin: string, request: FastifyRequest, config: ServerConfig): void {
  if (config.allowedOrigins.includes(origin)) return
  const own = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  if (own === undefined || own.toLowerCase() !== request.headers.host?.toLowerCase())
    throw new AppError('bad_origin')
}

function allowOrigin(origin: string, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  reply.header('access-control-allow-origin', origin)
  reply.header('vary', 'Origin')
  reply.header('access-control-expose-headers', EXPOSED_HEADERS)
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
    return undefined
  reply.header('access-control-allow-methods', METHODS)
  const asked = request.headers['access-control-request-headers'] ?? ''
  reply.header('access-control-allow-headers', [...ALLOWED_HEADERS, ...vendorHeaders(asked)].join(', '))
  reply.header('access-control-max-age', '600')
  return reply.code(204).send()
}

const vendorHeaders = (asked: string): readonly string[] =>
  asked
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => VENDOR_HEADER.test(name))
    .slice(0, MAX_VENDOR_HEADERS)
