/** Maps the vendor program's errors to failures of the log. */
import { ERRORS, type ErrorCode, type Failure } from '@toolwire/core'

const PROVIDER = 'claude-agent-sdk'

const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['authentication_failed', 'model_auth'],
  ['oauth_org_not_allowed', 'model_auth'],
  ['account_on_hold', 'model_auth'],
  ['verification_required', 'model_auth'],
  ['cloud_credential_error', 'model_auth'],
  ['billing_error', 'model_auth'],
  ['rate_limit', 'model_rate_limited'],
  ['overloaded', 'model_overloaded'],
  ['invalid_request', 'model_error'],
  ['model_not_found', 'unknown_model'],
  ['max_output_tokens', 'model_error'],
  ['server_error', 'model_unavailable'],
])

/** `kind` is the program's word for it; an unknown one counts as a provider that could not be reached. */
export function toSdkFailure(kind: string, message: string, http_status?: number): Failure {
  const code = http_status === 403 ? 'model_auth' : (CODES.get(kind) ?? 'model_unavailable')
  return engineFailure(code, message, http_status)
}

export function engineFailure(code: ErrorCode, message: string, http_status?: number): Failure {
  return {
    code,
    message,
    retryable: ERRORS[code].retryable,
    provider: PROVIDER,
    ...(http_status === undefined ? {} : { http_status }),
  }
}
