/** Failures of providers as values of the log: one place that fills in the table's defaults. */
import { ERRORS, type ErrorCode, type Failure } from '@toolwire/core'

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

/** The failure without the secret that was sent: some providers repeat a key that they refuse. Pure. */
export function withoutSecret(failure: Failure, secret: string | undefined): Failure {
  if (!secret || !JSON.stringify(failure).includes(JSON.stringify(secret).slice(1, -1))) return failure
  const hide = (text: string): string => text.replaceAll(secret, '[redacted]')
  const details =
    failure.details === undefined
      ? {}
      : {
          details: JSON.parse(JSON.stringify(failure.details), (_, value: unknown) =>
            typeof value === 'string' ? hide(value) : value,
          ) as unknown,
        }
  return { ...failure, message: hide(failure.message), ...details }
}

/** Whether a provider's refusal says that its model cannot call tools; every server has its own words for it. */
export const saysNoTools = (message: string): boolean =>
  /(does not|doesn't|not) support (tools|tool (use|calls?|calling|choice)|function calling)|tool (use|calling) is not (supported|enabled)|no endpoints found that support tool use/i.test(
    message,
  )
