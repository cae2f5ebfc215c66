/** Errors in this wire's shape: upper-case codes, and whether to try again. One row per refusal of the product. */
import { AppError, ERRORS, type ErrorCode, type Failure, type ToolFailure } from '@toolwire/core'

const CODES = {
  bad_request: 'INVALID_REQUEST',
  already_delivered: 'ALREADY_DELIVERED',
  run_changed: 'RUN_CHANGED',
  queue_full: 'QUEUE_FULL',
  invalid_json: 'INVALID_REQUEST',
  invalid_utf8: 'INVALID_REQUEST',
  invalid_cursor: 'INVALID_CURSOR',
  unknown_call: 'UNKNOWN_CALL_ID',
  not_a_client_tool: 'NOT_A_CLIENT_TOOL',
  unknown_model: 'INVALID_MODEL_CONFIG',
  unauthorized: 'UNAUTHORIZED',
  missing_key: 'INVALID_MODEL_CONFIG',
  forbidden: 'THREAD_PERMISSION_DENIED',
  bad_host: 'FORBIDDEN',
  bad_origin: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  session_not_found: 'THREAD_NOT_FOUND',
  run_not_found: 'NOT_FOUND',
  call_not_found: 'UNKNOWN_CALL_ID',
  message_not_found: 'NOT_FOUND',
  branch_not_found: 'NOT_FOUND',
  file_not_found: 'NOT_FOUND',
  approval_not_found: 'APPROVAL_NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_ALLOWED',
  conflict: 'CONFLICT',
  file_in_use: 'CONFLICT',
  version_changed: 'CONFLICT',
  already_answered: 'ALREADY_ANSWERED',
  session_running: 'SESSION_RUNNING',
  already_running: 'ALREADY_RUNNING',
  expired: 'EXPIRED',
  session_exists: 'THREAD_EXISTS',
  session_deleted: 'THREAD_DELETED',
  log_reset: 'LOG_RESET',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  too_many_requests: 'RATE_LIMITED',
  limit_reached: 'LIMIT_REACHED',
  owner_storage_full: 'LIMIT_REACHED',
  quota_exceeded: 'QUOTA_EXCEEDED',
  internal: 'INTERNAL_ERROR',
  shutting_down: 'SERVICE_UNAVAILABLE',
  not_ready: 'SERVICE_UNAVAILABLE',
  identity_unavailable: 'SERVICE_UNAVAILABLE',
  storage_full: 'DATABASE_ERROR',
  storage_error: 'DATABASE_ERROR',
  max_turns: 'MAX_ITERATIONS',
  budget_exceeded: 'BUDGET_EXCEEDED',
  deadline_exceeded: 'DEADLINE_EXCEEDED',
  model_error: 'MODEL_ERROR',
  model_auth: 'INVALID_MODEL_CONFIG',
  model_rate_limited: 'MODEL_RATE_LIMIT',
  model_overloaded: 'PROVIDER_ERROR',
  model_unavailable: 'PROVIDER_ERROR',
  model_timeout: 'MODEL_TIMEOUT',
  schema_rejected: 'TOOL_SCHEMA_REJECTED',
  tools_unsupported: 'TOOLS_UNSUPPORTED',
  context_too_long: 'CONTEXT_TOO_LONG',
  message_blocked: 'MESSAGE_BLOCKED',
  interrupted: 'INTERRUPTED',
  run_crashed: 'RUN_CRASHED',
} as const satisfies Record<ErrorCode, string>

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(CODES, code)

/** This wire's code for a recorded failure; a code outside the table is spelled in upper case. */
export const toErrorCode = (code: string): string => (isErrorCode(code) ? CODES[code] : toUpper(code))

/** This wire's code for a failed call: the tool's own code, or what stopped it. */
export function toToolErrorCode(failure: ToolFailure): string {
  if (failure.layer === 'permission') return 'TOOL_APPROVAL_DENIED'
  if (failure.layer === 'execution' && failure.code === 'failed') return 'TOOL_EXECUTION_ERROR'
  return toErrorCode(failure.code)
}

const toUpper = (code: string): string => code.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase()

export interface ThreadErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details?: unknown
    readonly retryable: boolean
    readonly request_id: string
  }
}

/** The body of a refusal. Anything but an `AppError` is a bug, and its text stays inside. */
export function toThreadError(error: unknown, requestId: string): ThreadErrorBody {
  const refusal = AppError.is(error) ? error : new AppError('internal')
  return {
    error: {
      code: CODES[refusal.code],
      message: refusal.message,
      ...(refusal.details === undefined ? {} : { details: refusal.details }),
      retryable: ERRORS[refusal.code].retryable,
      request_id: requestId,
    },
  }
}

/** The HTTP status of a failed run for a non-streaming request: the provider's own if known. */
export function toStatus({ code, http_status }: Pick<Failure, 'code' | 'http_status'>): number {
  if (http_status !== undefined && http_status >= 400) return http_status
  return isErrorCode(code) ? ERRORS[code].status : 500
}
