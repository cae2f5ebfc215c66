/** Refusals and failed runs in the words of the OpenAI API. Pure. */
import { ERRORS, type ErrorCode } from '@toolwire/core'

export interface ChatErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string
  }
}

interface Problem {
  readonly code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly details?: unknown
}

/** Error codes of this API where it has its own. */
const CODES: Readonly<Record<string, string>> = {
  unknown_model: 'model_not_found',
  quota_exceeded: 'insufficient_quota',
}

/** The upstream's own status is kept where there is one; an overloaded upstream is 503 here. */
export function toChatError(problem: Problem): { readonly status: number; readonly body: ChatErrorBody } {
  const status = statusOf(problem)
  const code = CODES[problem.code] ?? problem.code
  const message = problem.message
  return { status, body: { error: { message, type: typeOf(status), param: paramOf(problem), code } } }
}

function statusOf({ code, http_status }: Problem): number {
  if (code === 'unknown_model') return 404
  const known = code in ERRORS ? ERRORS[code as ErrorCode].status : 500
  const status = http_status !== undefined && http_status >= 400 ? http_status : known
  return status === 529 ? 503 : status
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** The field that a refusal names: its message begins with it. */
function paramOf({ code, message }: Problem): string | null {
  if (code === 'unknown_model') return 'model'
  if (code !== 'bad_request') return null
  return /^([a-z_][\w.]*): /.exec(message)?.[1] ?? null
}
