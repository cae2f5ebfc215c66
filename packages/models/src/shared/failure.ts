/** Failures of providers as values of the log: one place that fills in the table's defaults. */
import { ERRORS, type ErrorCode, type Failure, isObject } from '@toolwire/core'

export type FailureCode = Extract<
  ErrorCode,
  | 'bad_request'
  | 'unknown_model'
  | 'model_error'
  | 'model_auth'
  | 'model_rate_limited'
  | 'model_overloaded'
  | 'model_unavailable'
  | 'model_timeout'
  | 'context_too_long'
  | 'schema_rejected'
  | 'tools_unsupported'
  | 'interrupted'
>

/** A failure with the table's `retryable`, unless `extra` says otherwise. Pure. */
export function toFailure(code: FailureCode, message: string, extra: Partial<Failure> = {}): Failure {
  return { code, message, retryable: ERRORS[code].retryable, ...extra }
}

const HIDDEN = '[redacted]'
/** A shorter secret may also be a word or part of one: it is redacted only as a separate word. */
const SURE_LENGTH = 12

/** The failure without the secret that was sent: some providers repeat a key that they refuse. Pure. */
export function withoutSecret(failure: Failure, secret: string | undefined): Failure {
  if (!secret || !JSON.stringify(failure).includes(JSON.stringify(secret).slice(1, -1))) return failure
  const found = secret.length < SURE_LENGTH ? standalone(secret) : secret
  const clean = (text: string): string => text.replaceAll(found, HIDDEN)
  const { message, details } = failure
  return {
    ...failure,
    message: clean(message),
    ...(details === undefined ? {} : { details: hide(details, clean) }),
  }
}

const standalone = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_-])${text.replaceAll(/[^\p{L}\p{N}]/gu, escaped)}(?![\\p{L}\\p{N}_-])`, 'gu')

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Names of fields are cleaned as well: all of it is the provider's. */
function hide(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(one => hide(one, clean))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [clean(key), hide(one, clean)]))
}

/** True if a provider's rejection means that its model cannot call tools; every server words it differently. */
export const isToolsUnsupported = (message: string): boolean =>
  /(does not|doesn't|not) support (tools|tool (use|calls?|calling|choice)|function calling)|tool (use|calling) is not (supported|enabled)|no endpoints found that support tool use/i.test(
    message,
  )
