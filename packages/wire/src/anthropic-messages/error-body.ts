/** Refusals and failed runs in the words of the Messages API. Pure. */
import { ERRORS, type ErrorCode } from '@toolwire/core'

export interface MessagesErrorBody {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string; readonly details?: unknown }
  readonly request_id?: string
}

interface MessagesProblem {
  readonly code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly details?: unknown
}

/** The upstream's own status is kept where there is one. */
export function toMessagesError(
  problem: MessagesProblem,
  request_id?: string,
): { readonly status: number; readonly body: MessagesErrorBody } {
  const status = statusOf(problem)
  const details = threadDetails(problem.details)
  return {
    status,
    body: {
      type: 'error',
      error: {
        type: TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
        message: problem.message,
        ...(details === undefined ? {} : { details }),
      },
      ...(request_id === undefined ? {} : { request_id }),
    },
  }
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function statusOf({ code, http_status }: MessagesProblem): number {
  if (code === 'unknown_model') return 404
  const known = code in ERRORS ? ERRORS[code as ErrorCode].status : 500
  return http_status !== undefined && http_status >= 400 ? http_status : known
}

/** Only what clients of this wire act on. */
function threadDetails(details: unknown): unknown {
  return typeof details === 'object' && details !== null && 'error_code' in details ? details : undefined
}
