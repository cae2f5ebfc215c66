/** Refusals in the thread wire's shape, for every request of one scope. */
import { AppError, ERRORS } from '@toolwire/core'
import { toThreadError } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import { toAppError } from '../errors.ts'
import { createRouteTable } from '../route-table.ts'

/** Must be called before the scope's routes are added. */
export function installThreadErrors(scope: FastifyInstance, { logger }: ServerContext): void {
  const routes = createRouteTable(scope)
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

const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: AppError): FastifyReply =>
  reply.code(ERRORS[refusal.code].status).send(toThreadError(refusal, request.id))
