/** Errors as one plain sentence: pages of the AI SDK show the body as it is. Code, request id and retry are headers. */
import { ERRORS } from '@toolwire/core'
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'
import { toAppError } from '../errors.ts'

/** Must be called before the scope's routes are added. */
export function installTextErrors(scope: FastifyInstance, { logger }: ServerContext): void {
  scope.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error)
    if (failure.code === 'internal')
      logger.error({ request_id: request.id, error: String(error) }, 'a request failed by a bug')
    const { status, retryable } = ERRORS[failure.code]
    return reply
      .code(status)
      .header('x-error-code', failure.code)
      .header('x-request-id', request.id)
      .header('x-should-retry', String(retryable))
      .type('text/plain; charset=utf-8')
      .send(failure.message)
  })
}
