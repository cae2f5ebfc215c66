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
  | 'interrupted'
>

/** A failure with the table's `retryable`, unless `extra` says otherwise. Pure. */
export function toFailure(code: FailureCode, message: string, extra: Partial<Failure> = {}): Failure {
  return { code, message, retryable: ERRORS[code].retryable, ...extra }
}
