/**
 * The door: finds the principal of every request by its key (`Authorization: Bearer …` or
 * `x-api-key`), checks scope, limits and budget, and lets the route work for that principal alone.
 */
import { trace } from '@opentelemetry/api'
import { AppError, type Records } from '@toolwire/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRegistry } from './key-registry.ts'
import { createLimiter } from './limiter.ts'
import type { OpenRequests } from './open-requests.ts'
import { actFor, LOCAL_OPERATOR, mustHave, type Principal, type RequestTrace } from './principal.ts'
import { scopeFor } from './route-scope.ts'
import { checkBudget } from './spending.ts'
import { whenClosed } from './when-closed.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
    trail: RequestTrace
  }
}

/** Routes without a key: health checks, and the one whose path holds a secret. */
const OPEN: ReadonlySet<string> = new Set(['/health', '/healthz', '/readyz', '/v4/response/:run_token'])

export interface AccessOptions {
  readonly keys: KeyRegistry
  readonly openRequests: OpenRequests
  readonly records?: Records | undefined
}

/** Must be installed before the routes. */
export function installAccess(app: FastifyInstance, { keys, openRequests, records }: AccessOptions): void {
  const limiter = createLimiter()
  app.decorateRequest('principal')
  app.decorateRequest('trail')

  app.addHook('onRequest', async (request, reply) => {
    request.principal = LOCAL_OPERATOR
    request.trail = { request_id: request.id, ...activeTrace() }
    if (isOpen(request)) return
    if (!(await keys.required())) return openRequests.add(null, reply.raw)
    const key = keyOf(request)
    const principal = key === undefined ? undefined : await keys.find(key)
    if (!principal) throw new AppError('unauthorized')
    request.principal = principal
    const scope = scopeFor(request)
    mustHave(principal, scope)
    whenClosed(reply.raw, limiter.enter(principal))
    openRequests.add(principal.key_id, reply.raw)
    if (request.method === 'POST') await checkBudget(records, principal)
  })

  app.addHook('onError', async (_request, reply, error) => sayWhen(reply, error))

  // Here and not earlier: the body is read in another asynchronous context, the socket's.
  app.addHook('preValidation', (request, _reply, done) => actFor(request.principal, done, request.trail))
}

const isOpen = (request: FastifyRequest): boolean =>
  OPEN.has(request.routeOptions.url ?? '') || request.routeOptions.config.open === true

function activeTrace(): { readonly trace_id?: string } {
  const trace_id = trace.getActiveSpan()?.spanContext().traceId
  return trace_id === undefined ? {} : { trace_id }
}

/** A refusal for a limit says when to come again. */
function sayWhen(reply: FastifyReply, error: unknown): void {
  if (!AppError.is(error) || error.code !== 'too_many_requests') return
  const { details } = error
  const known = typeof details === 'object' && details !== null && 'retry_after' in details
  reply.header('retry-after', known ? String(details.retry_after) : '1')
}

function keyOf(request: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return bearer
  const header = request.headers['x-api-key']
  return typeof header === 'string' ? header : undefined
}
