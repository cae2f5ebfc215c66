/** Every error leaves here: one status per code, in the shape of the route's wire, never a stack. */
import { AppError, ERRORS } from '@toolwire/core'
import { toChatError, toMcpError, toMessagesError, toResponsesError, toThreadError } from '@toolwire/wire'
import type { Exchange } from './http/exchange.ts'
import { type Reply, rawReply, reply } from './http/reply.ts'
import type { ServedExchange } from './http/served-exchange.ts'
import type { ErrorShape } from './openapi/operation.ts'

/** The body of an error of our own API. `details` only when there are any. */
export function toErrorBody(error: AppError, requestId: string) {
  const { retryable } = ERRORS[error.code]
  const details = error.details === undefined ? {} : { details: error.details }
  return { error: { code: error.code, message: error.message, retryable, request_id: requestId, ...details } }
}

/** Anything thrown; a bug becomes `internal`. */
export const toAppError = (error: unknown): AppError =>
  AppError.is(error) ? error : new AppError('internal')

/** Sets the headers that go with the error. */
export function toErrorReply(exchange: ServedExchange, error: AppError): Reply {
  if (error.code === 'too_many_requests') exchange.setHeader('retry-after', secondsToWait(error))
  const { status, retryable } = ERRORS[error.code]
  const shape = shapeOf(exchange)
  switch (shape) {
    case 'api':
      return reply(status, toErrorBody(error, exchange.id))
    case 'thread':
      return reply(status, toThreadError(error, exchange.id))
    case 'text':
      exchange.setHeaders({ 'x-error-code': error.code, 'x-should-retry': String(retryable) })
      return rawReply(status, error.message, 'text/plain; charset=utf-8')
    case 'mcp':
      return reply(status, toMcpError(error))
    default: {
      const vendor = toVendorError(exchange, shape, error)
      return reply(vendor.status, vendor.body)
    }
  }
}

function secondsToWait({ details }: AppError): string {
  const isKnown = typeof details === 'object' && details !== null && 'retry_after' in details
  return isKnown ? String(details.retry_after) : '1'
}

const shapeOf = ({ match, url }: ServedExchange): ErrorShape =>
  match?.route.errorShape ?? (match ? 'api' : shapeByPath(url))

const VENDOR_SHAPES: ReadonlySet<ErrorShape> = new Set(['chat', 'responses', 'messages', 'models'])

/** The clients of vendors read the request id under this name. */
export function setVendorHeaders(exchange: ServedExchange): void {
  if (VENDOR_SHAPES.has(shapeOf(exchange))) exchange.setHeader('request-id', exchange.id)
}

/** Paths that no route takes: the API in whose room they are decides. */
function shapeByPath(url: string): ErrorShape {
  if (/^\/v4(?:[/?]|$)/.test(url)) return 'thread'
  if (!/^\/v1(?:[/?]|$)/.test(url)) return 'api'
  if (/^\/v1\/messages(?:[/?]|$)/.test(url)) return 'messages'
  return /^\/v1\/(responses|conversations)/.test(url) ? 'responses' : 'models'
}

function toVendorError(
  exchange: Exchange,
  shape: ErrorShape,
  error: AppError,
): { readonly status: number; readonly body: object } {
  if (shape === 'messages' || speaksMessages(exchange)) return toMessagesError(error, exchange.id)
  return shape === 'responses' ? toResponsesError(error) : toChatError(error)
}

/** Anthropic's clients send their version with every request. */
export const speaksMessages = ({ headers }: Exchange): boolean => headers['anthropic-version'] !== undefined
