/** Error bodies in both vendors' shapes. Pure. */
import type { JsonObject } from '@toolwire/core'

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

/** The vendor's type for a status. */
export const messagesErrorOf = (status: number): string =>
  TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')

const BY_CODE: Readonly<Record<string, string>> = {
  model_auth: 'authentication_error',
  model_rate_limited: 'rate_limit_error',
  model_overloaded: 'overloaded_error',
  model_timeout: 'timeout_error',
  context_too_long: 'invalid_request_error',
  bad_request: 'invalid_request_error',
}

/** The vendor's type for one of our codes, inside a stream. */
export const messagesErrorType = (code: string): string => BY_CODE[code] ?? 'api_error'

export const messagesError = (
  type: string,
  message: string,
  request_id: string,
  details?: JsonObject,
): JsonObject => ({
  type: 'error',
  error: { type, message, ...(details ? { details } : {}) },
  request_id,
})

const CHAT: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'unsupported_country_region_territory'],
  404: ['invalid_request_error', 'model_not_found'],
  413: ['invalid_request_error', null],
  429: ['requests', 'rate_limit_exceeded'],
  500: ['server_error', null],
  529: ['server_error', 'overloaded'],
}

export function chatErrorOf(status: number, message: string, param: string | null = null): JsonObject {
  const [type, code] = CHAT[status] ?? ['server_error', null]
  return { error: { message, type, param, code } }
}

export const chatTooLong = (tokens: number, most: number): JsonObject => ({
  error: {
    message: `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
})

/** For one of our codes, inside a stream. */
export function chatError(code: string, message: string): JsonObject {
  const type =
    code === 'bad_request' || code === 'context_too_long' ? 'invalid_request_error' : 'server_error'
  const own =
    code === 'model_overloaded'
      ? 'overloaded'
      : code === 'context_too_long'
        ? 'context_length_exceeded'
        : null
  return { error: { message, type, param: null, code: own } }
}

const RESPONSES_CODES: Readonly<Record<string, string>> = {
  model_rate_limited: 'rate_limit_exceeded',
  model_overloaded: 'server_is_overloaded',
  context_too_long: 'context_length_exceeded',
  bad_request: 'invalid_prompt',
}

/** The `error` of a failed response, for one of our codes. */
export function responsesErrorOf(code: string, message: string): JsonObject {
  const own = RESPONSES_CODES[code] ?? 'server_error'
  const type = own === 'server_error' ? own : 'invalid_request_error'
  return { type, code: own, message, param: null }
}
