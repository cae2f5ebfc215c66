/** Every refusal leaves here: one shape, one status per code, never a stack. */
import { AppError, ERRORS, type ErrorCode } from '@toolwire/core'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from './context.ts'
import type { RouteTable } from './route-table.ts'

/** The body of a refusal. `details` only when there are any. */
export function toErrorBody(error: AppError, requestId: string) {
  const { retryable } = ERRORS[error.code]
  const details = error.details === undefined ? {} : { details: error.details }
  return { error: { code: error.code, message: error.message, retryable, request_id: requestId, ...details } }
}

const FRAMEWORK: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_NOT_FOUND: 'not_found',
}

/** Converts any thrown value to an AppError; a bug of ours becomes `internal`. */
export function toAppError(error: unknown): AppError {
  if (AppError.is(error)) return error
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>
  const known = code === undefined ? undefined : FRAMEWORK[code]
  if (known) return new AppError(known)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('bad_request', error instanceof Error ? cut(error.message) : undefined)
  return new AppError('internal')
}

/** The framework repeats what it was sent: as much of it as helps to find the mistake. */
const MAX_MESSAGE = 200
const cut = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message

/** Sends a refusal. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  return reply.code(ERRORS[error.code].status).send(toErrorBody(error, request.id))
}

/** Installs the handlers for everything that routes throw and for requests that no route takes. */
export function installErrors(app: FastifyInstance, routes: RouteTable, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = toAppError(error)
    if (refusal.code === 'internal')
      logger.error({ request_id: request.id, error: describe(error) }, 'a request failed by a bug')
    return sendError(request, reply, refusal)
  })
  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.methodsFor(request.url)
    if (allowed.length === 0) return sendError(request, reply, new AppError('not_found'))
    reply.header('allow', allowed.join(', '))
    return sendError(request, reply, new AppError('method_not_allowed'))
  })
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
