/** Headers and errors of the vendor wires' routes that start a run. */
export const RUN_HEADERS = [
  'Idempotency-Key',
  'X-Session-Id',
  'X-Server-Tools',
  'X-Tool-Repair',
  'X-Forced-Tool',
  'X-Max-Cost-Usd',
  'X-Max-Total-Tokens',
  'X-Max-Duration-Ms',
  'X-Fallback-Models',
] as const

export const ERRORS_OF_RUNS = [
  'bad_request',
  'unknown_model',
  'missing_key',
  'conflict',
  'payload_too_large',
  'shutting_down',
  'session_not_found',
  'session_deleted',
  'model_rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_timeout',
] as const
