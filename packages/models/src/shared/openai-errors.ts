/** Chat Completions errors in our table. Servers agree on little, so status, code and words all count. */
import type { Failure } from '@toolwire/core'
import { asNumber, asString, isObject, parseJson } from '@toolwire/core'
import { type FailureCode, isToolsUnsupported, toFailure } from './failure.ts'

interface Told {
  readonly message: string
  readonly type: string
  readonly code: string
}

/** Whom a refusal can be about. */
interface KnownTools {
  /** In the order of the request. */
  readonly names: readonly string[]
  /** The name of the tool that the provider knows by another. */
  readonly nameOf: (wire: string) => string
}

/** An answer that is not 2xx. */
export function toHttpFailure(status: number, body: string, tools: KnownTools): Failure {
  const parsed = parseJson(body)
  const told = read(isObject(parsed) ? (parsed['error'] ?? parsed) : body, `The provider answered ${status}.`)
  const details = detailsOf(told)
  const tool = refusedTool(told.message, tools)
  if (tool !== undefined)
    return toFailure(
      'schema_rejected',
      `The provider refused the schema of the tool "${tool}": ${told.message}`,
      {
        details: { ...details, tool },
      },
    )
  const code = codeOf(status, told)
  // Money does not come back by waiting.
  const isBroke = told.code === 'insufficient_quota' || told.type === 'insufficient_quota'
  return toFailure(code, told.message, { details, ...(isBroke ? { retryable: false } : {}) })
}

/** An `error` object inside a stream. */
export function toStreamFailure(raw: unknown): Failure {
  const told = read(raw, 'The provider reported an error.')
  const status = isObject(raw) ? (asNumber(raw['status']) ?? asNumber(raw['code']) ?? 0) : 0
  return toFailure(codeOf(status, told), told.message, { details: detailsOf(told) })
}

function read(raw: unknown, fallback: string): Told {
  if (typeof raw === 'string') return { message: raw.trim().slice(0, 500) || fallback, type: '', code: '' }
  if (!isObject(raw)) return { message: fallback, type: '', code: '' }
  return {
    message: asString(raw['message']) || asString(raw['detail']) || fallback,
    type: asString(raw['type']) ?? '',
    code: asString(raw['code']) ?? '',
  }
}

function detailsOf(told: Told): Readonly<Record<string, string>> {
  return {
    ...(told.type === '' ? {} : { type: told.type }),
    ...(told.code === '' ? {} : { code: told.code }),
  }
}

const BY_STATUS: Readonly<Record<number, FailureCode>> = {
  401: 'model_auth',
  402: 'model_auth',
  403: 'model_auth',
  408: 'model_timeout',
  413: 'context_too_long',
  429: 'model_rate_limited',
  503: 'model_overloaded',
  504: 'model_timeout',
  529: 'model_overloaded',
}

function codeOf(status: number, told: Told): FailureCode {
  if (
    /context_length|context (window|length|size)|maximum context|too many tokens|prompt is too long/i.test(
      `${told.code} ${told.message}`,
    )
  )
    return 'context_too_long'
  if (told.code === 'model_not_found' || (status === 404 && /model/i.test(told.message)))
    return 'unknown_model'
  if (status < 500 && isToolsUnsupported(told.message)) return 'tools_unsupported'
  const known = BY_STATUS[status]
  if (known) return known
  if (/overloaded/i.test(`${told.type} ${told.code} ${told.message}`)) return 'model_overloaded'
  if (/rate_limit/i.test(`${told.type} ${told.code}`)) return 'model_rate_limited'
  if (/authentication|invalid_api_key/i.test(`${told.type} ${told.code}`)) return 'model_auth'
  return status >= 500 || /server_error|api_error/.test(told.type) ? 'model_unavailable' : 'model_error'
}

/** `Invalid schema for function 'x'`, or `tools[3].function.parameters`. */
function refusedTool(message: string, { names, nameOf }: KnownTools): string | undefined {
  const named = /schema for function ['"`]([^'"`]+)['"`]/i.exec(message)
  if (named?.[1] !== undefined) return nameOf(named[1])
  const place = /tools[[.](\d+)\]?\.function/.exec(message)
  return place ? names[Number(place[1])] : undefined
}
