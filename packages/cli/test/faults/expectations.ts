/** What each wire's client is to see of a failure, by its code: one row per code, read by the suites of this folder. */
import type { Got } from './http-form.ts'
import type { WireName } from './wires.ts'

interface Row {
  /** Upper-case code of the thread wire. */
  readonly thread: string
  /** Type of the Messages API's error, by its status. */
  readonly anthropic: string
  /** HTTP status where the provider gave none. */
  readonly status: number
}

const FAILURES: Readonly<Record<string, Row>> = {
  bad_request: { thread: 'INVALID_REQUEST', anthropic: 'invalid_request_error', status: 400 },
  missing_key: { thread: 'INVALID_MODEL_CONFIG', anthropic: 'authentication_error', status: 401 },
  model_auth: { thread: 'INVALID_MODEL_CONFIG', anthropic: 'authentication_error', status: 401 },
  unknown_model: { thread: 'INVALID_MODEL_CONFIG', anthropic: 'not_found_error', status: 404 },
  context_too_long: { thread: 'CONTEXT_TOO_LONG', anthropic: 'invalid_request_error', status: 400 },
  schema_rejected: { thread: 'TOOL_SCHEMA_REJECTED', anthropic: 'invalid_request_error', status: 400 },
  tools_unsupported: { thread: 'TOOLS_UNSUPPORTED', anthropic: 'invalid_request_error', status: 400 },
  model_error: { thread: 'MODEL_ERROR', anthropic: 'api_error', status: 502 },
  model_rate_limited: { thread: 'MODEL_RATE_LIMIT', anthropic: 'rate_limit_error', status: 429 },
  model_overloaded: { thread: 'PROVIDER_ERROR', anthropic: 'overloaded_error', status: 529 },
  model_unavailable: { thread: 'PROVIDER_ERROR', anthropic: 'api_error', status: 502 },
  model_timeout: { thread: 'MODEL_TIMEOUT', anthropic: 'timeout_error', status: 504 },
  budget_exceeded: { thread: 'BUDGET_EXCEEDED', anthropic: 'api_error', status: 500 },
  interrupted: { thread: 'INTERRUPTED', anthropic: 'api_error', status: 500 },
  deadline_exceeded: { thread: 'DEADLINE_EXCEEDED', anthropic: 'timeout_error', status: 504 },
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** `status` is the provider's own; `spoke` when the model had said something before; `early` when no run began. */
export interface Failed {
  readonly code: string
  readonly status?: number | undefined
  readonly spoke?: boolean
  readonly early?: boolean
}

/** The part of an answer that is settled by the failure alone. */
export function expectedOf(wire: WireName, { code, status, spoke, early }: Failed): Partial<Got> {
  const row = FAILURES[code]
  if (!row) throw new Error(`no row for ${code}`)
  const told = status ?? row.status
  // The vendors' wires call a model that does not exist not found; ours call it a bad request.
  const ours = code === 'unknown_model' ? 400 : row.status
  switch (wire) {
    case 'chat':
    case 'canonical':
      return { status: early ? ours : 200, error: code, text: '', isWhole: !early }
    case 'thread, streamed':
    case 'thread, prepared':
      return { status: early ? ours : 200, error: row.thread, text: '', isWhole: !early }
    case 'thread, whole':
      return { status: early ? ours : (status ?? ours), error: row.thread }
    case 'openai-chat, streamed':
    case 'openai-chat, whole': {
      const error = code === 'unknown_model' ? 'model_not_found' : code
      const isLate = spoke && wire === 'openai-chat, streamed'
      return { status: isLate ? 200 : told === 529 ? 503 : told, error, text: '', isWhole: false }
    }
    case 'anthropic-messages, streamed':
    case 'anthropic-messages, whole': {
      const isLate = spoke && wire === 'anthropic-messages, streamed'
      const error = TYPES[told] ?? (told >= 500 ? 'api_error' : 'invalid_request_error')
      return { status: isLate ? 200 : told, error, text: '', isWhole: false }
    }
  }
}
