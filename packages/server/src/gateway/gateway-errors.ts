/** Refusals on the vendor wires, each in its vendor's shape; for every request of one scope. */
import { AppError } from '@toolwire/core'
import { toChatError, toMessagesError, toResponsesError } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import { toAppError } from '../errors.ts'
import { createRouteTable } from '../route-table.ts'

/** Must be called before the scope's routes are added. */
export function installGatewayErrors(scope: FastifyInstance, { logger }: ServerContext): void {
  const routes = createRouteTable(scope)
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', request.id)
  })
  scope.setErrorHandler((error, request, reply) => {
    const refusal = toAppError(error)
    if (refusal.code === 'internal')
      logger.error({ request_id: request.id, error: String(error) }, 'a request failed by a bug')
    return refuse(request, reply, refusal)
  })
  scope.setNotFoundHandler((request, reply) => {
    const allowed = routes.methodsFor(request.url)
    if (allowed.length === 0) return refuse(request, reply, new AppError('not_found'))
    reply.header('allow', allowed.join(', '))
    return refuse(request, reply, new AppError('method_not_allowed'))
  })
}

/** Anthropic's clients send their version with every request; the path identifies the rest. */
export const speaksMessages = (request: FastifyRequest): boolean =>
  request.headers['anthropic-version'] !== undefined || /^\/v1\/messages(\/|\?|$)/.test(request.url)

function toBody(
  request: FastifyRequest,
  refusal: AppError,
): { readonly status: number; readonly body: object } {
  if (speaksMessages(request)) return toMessagesError(refusal, request.id)
  return request.url.startsWith('/v1/responses') ? toResponsesError(refusal) : toChatError(refusal)
}

function refuse(request: FastifyRequest, reply: FastifyReply, refusal: AppError): FastifyReply {
  const { status, body } = toBody(request, refusal)
  return reply.code(status).send(body)
}
