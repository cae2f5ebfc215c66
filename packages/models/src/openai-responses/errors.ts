/** Errors of the Responses API in our table: `error` events and the `error` of a failed response. Pure. */
import type { Failure } from '@toolwire/core'
import { asString, isObject, parseJson } from '@toolwire/core'
import { type FailureCode, toFailure } from '../shared/failure.ts'

const BY_CODE: ReadonlyMap<string, FailureCode> = new Map<string, FailureCode>([
  ['rate_limit_exceeded', 'model_rate_limited'],
  ['insufficient_quota', 'model_rate_limited'],
  ['server_is_overloaded', 'model_overloaded'],
  ['slow_down', 'model_overloaded'],
  ['server_error', 'model_unavailable'],
  ['vector_store_timeout', 'model_timeout'],
  ['context_length_exceeded', 'context_too_long'],
  ['invalid_prompt', 'bad_request'],
  ['cyber_policy', 'bad_request'],
  ['misalignment_policy_violation', 'bad_request'],
  ['bio_policy', 'bad_request'],
  ['model_not_found', 'unknown_model'],
  ['invalid_api_key', 'model_auth'],
])

/** Waiting brings no money back. */
const FINAL: ReadonlySet<string> = new Set(['insufficient_quota'])

/** `raw` is an `error` event (flat or with the error inside) or the `error` of a response. */
export function toEventFailure(raw: unknown): Failure {
  const outer = isObject(raw) ? raw : {}
  const inner = isObject(outer['error']) ? outer['error'] : outer
  const code = asString(inner['code']) ?? asString(outer['code']) ?? asString(inner['type']) ?? ''
  const message =
    asString(inner['message']) || asString(outer['message']) || 'The provider reported an error.'
  const wait = waitIn(message)
  return toFailure(codeOf(code), message, {
    ...(code === '' && wait === undefined
      ? {}
      : {
          details: {
            ...(code === '' ? {} : { code }),
            ...(wait === undefined ? {} : { retry_after_ms: wait }),
          },
        }),
    ...(FINAL.has(code) ? { retryable: false } : {}),
  })
}

function codeOf(code: string): FailureCode {
  const known = BY_CODE.get(code)
  if (known) return known
  if (/image/.test(code)) return 'bad_request'
  return /server|internal/.test(code) ? 'model_unavailable' : 'model_error'
}

/** `Please try again in 1.5s` or `… in 20ms`. */
function waitIn(message: string): number | undefined {
  const found = /try again in (\d{1,6}(?:\.\d{1,6})?)\s?(ms|s)\b/i.exec(message)
  return found ? Math.ceil(Number(found[1]) * (found[2]?.toLowerCase() === 'ms' ? 1 : 1000)) : undefined
}

/** The provider cannot decrypt reasoning that came from another key, model or organization. */
export function isUndecryptable(status: number, body: string): boolean {
  if (status !== 400) return false
  const parsed = parseJson(body)
  const error = isObject(parsed) && isObject(parsed['error']) ? parsed['error'] : {}
  return (
    error['code'] === 'invalid_encrypted_content' ||
    /encrypted content .*could not be (verified|decrypted)/i.test(asString(error['message']) ?? '')
  )
}
