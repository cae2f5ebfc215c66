/** Errors in the words of the Responses API, as HTTP bodies and inside streams. Pure. */
import { toChatError } from '../gateway/openai-error.ts'

export interface ResponsesError {
  readonly type: string
  readonly code: string | null
  readonly message: string
  readonly param: string | null
}

/** Codes that clients of this API know; others make them repeat the request. */
const CODES: ReadonlyMap<string, string> = new Map([
  ['unknown_model', 'model_not_found'],
  ['quota_exceeded', 'insufficient_quota'],
  ['budget_exceeded', 'insufficient_quota'],
  ['model_rate_limited', 'rate_limit_exceeded'],
  ['rate_limited', 'rate_limit_exceeded'],
  ['model_overloaded', 'server_is_overloaded'],
  ['overloaded', 'server_is_overloaded'],
  ['context_too_long', 'context_length_exceeded'],
  ['unauthorized', 'invalid_api_key'],
  ['model_unavailable', 'server_error'],
  ['model_timeout', 'server_error'],
  ['interrupted', 'server_error'],
])

/** Clients repeat a 500 dozens of times, so it is kept for errors that a retry can heal. */
export function toResponsesError(problem: Parameters<typeof toChatError>[0]): {
  readonly status: number
  readonly body: { readonly error: ResponsesError }
} {
  const { status, body } = toChatError(problem)
  const { type, param, message } = body.error
  const code =
    problem.code === 'bad_request' ? codeIn(problem.details) : (CODES.get(problem.code) ?? problem.code)
  return {
    status: problem.code === 'context_too_long' ? 400 : status,
    body: { error: { type, code, message, param } },
  }
}

/** The API's own code, where a rejection has one. */
function codeIn(details: unknown): string | null {
  const { code } = Object(details) as { readonly code?: unknown }
  return typeof code === 'string' ? code : null
}

/** Rejections of what a retry cannot change are final for clients under these codes. */
const FINAL = /^(context_length_exceeded|insufficient_quota|server_is_overloaded|rate_limit_exceeded)$/

/** The error of a failed response. */
export function toStreamError(
  problem: Parameters<typeof toChatError>[0] & { readonly retryable: boolean },
): ResponsesError {
  const { error } = toResponsesError(problem).body
  if (problem.retryable || FINAL.test(error.code ?? ''))
    return { ...error, code: error.code ?? 'server_error' }
  return { ...error, code: 'invalid_prompt' }
}
