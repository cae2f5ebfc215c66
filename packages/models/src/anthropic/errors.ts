/** The Messages API's errors in our table: by type, by status, and by the words of its 400s. */
import type { Failure } from '@toolwire/core'
import { asString, isObject, parseJson } from '@toolwire/core'
import { type FailureCode, isToolsUnsupported, toFailure } from '../shared/failure.ts'

const BY_TYPE: ReadonlyMap<string, FailureCode> = new Map([
  ['authentication_error', 'model_auth'],
  ['permission_error', 'model_auth'],
  ['billing_error', 'model_auth'],
  ['rate_limit_error', 'model_rate_limited'],
  ['overloaded_error', 'model_overloaded'],
  ['api_error', 'model_unavailable'],
  ['timeout_error', 'model_timeout'],
  ['request_too_large', 'context_too_long'],
])

/** An answer that is not 2xx. `toolNames` are in the order of the request, since refusals name places. */
export function toHttpFailure(status: number, body: string, toolNames: readonly string[]): Failure {
  const parsed = parseJson(body)
  const raw = isObject(parsed) && isObject(parsed['error']) ? parsed['error'] : {}
  const type = asString(raw['type']) ?? ''
  const message = asString(raw['message']) ?? `The provider answered ${status}.`
  const details = isObject(raw['details']) ? { provider_details: raw['details'] } : {}
  const extra = type === '' ? details : { type, ...details }
  const tool = refusedTool(message, toolNames)
  if (tool !== undefined)
    return toFailure('schema_rejected', `The provider refused the schema of the tool "${tool}": ${message}`, {
      details: { ...extra, tool },
    })
  return toFailure(codeOf(status, type, message), message, { details: extra })
}

/** An `error` event inside a stream. */
export function toStreamFailure(raw: unknown): Failure {
  const type = isObject(raw) ? (asString(raw['type']) ?? '') : ''
  const message = (isObject(raw) && asString(raw['message'])) || 'The provider reported an error.'
  const code = isTooLong(message) ? 'context_too_long' : (BY_TYPE.get(type) ?? 'model_error')
  return toFailure(code, message, type === '' ? {} : { details: { type } })
}

function codeOf(status: number, type: string, message: string): FailureCode {
  if (status === 404 && /model/i.test(message)) return 'unknown_model'
  if (status === 413 || isTooLong(message)) return 'context_too_long'
  if (status < 500 && isToolsUnsupported(message)) return 'tools_unsupported'
  if (status === 529 || status === 503) return 'model_overloaded'
  const known = BY_TYPE.get(type)
  if (known) return known
  if (status === 401 || status === 403 || status === 402) return 'model_auth'
  if (status === 429) return 'model_rate_limited'
  if (status === 408 || status === 504) return 'model_timeout'
  return status >= 500 ? 'model_unavailable' : 'model_error'
}

const isTooLong = (message: string): boolean =>
  /prompt is too long|exceeds? (the )?(model'?s )?(maximum )?context|context (window|limit|length)/i.test(
    message,
  )

/** `tools.3.custom.input_schema: …` names a tool by its place. */
function refusedTool(message: string, names: readonly string[]): string | undefined {
  const place = /\btools\.(\d+)\.(?:custom\.)?(?:input_schema|name)/.exec(message)
  return place ? names[Number(place[1])] : undefined
}
