/**
 * Every refusal of the product, in one table: code, HTTP status, whether the same
 * request may succeed later, and what it means. docs/errors.md is tested equal to it.
 */
type ErrorRow = { readonly status: number; readonly retryable: boolean; readonly meaning: string }
const row = (status: number, retryable: boolean, meaning: string): ErrorRow => ({
  status,
  retryable,
  meaning,
})

export const ERRORS = {
  bad_request: row(400, false, 'The request is not of the form that this route takes.'),
  invalid_json: row(400, false, 'The body is not JSON.'),
  invalid_utf8: row(400, false, 'The body is not valid UTF-8.'),
  invalid_cursor: row(400, false, 'The cursor is malformed, beyond the end, or from another session.'),
  unknown_call: row(400, false, 'No pending call has this id.'),
  not_a_client_tool: row(400, false, 'This call runs on the server; a client cannot answer it.'),
  unknown_model: row(400, false, 'No model has this id.'),
  unauthorized: row(401, false, 'No valid API key was given.'),
  missing_key: row(401, false, 'The provider of this model has no API key configured.'),
  forbidden: row(403, false, 'The key does not allow this.'),
  bad_host: row(403, false, 'The Host header names no address of this server.'),
  bad_origin: row(403, false, 'Pages of this origin may not call this server.'),
  not_found: row(404, false, 'No such route.'),
  session_not_found: row(404, false, 'No such session.'),
  run_not_found: row(404, false, 'No such conversation in this session.'),
  approval_not_found: row(404, false, 'No such approval.'),
  call_not_found: row(404, false, 'No call of this session has this id.'),
  message_not_found: row(404, false, 'No message of this session has this id.'),
  branch_not_found: row(404, false, 'No branch of this session has this id.'),
  file_not_found: row(404, false, 'No such file. It was deleted or has expired, or it is of another owner.'),
  method_not_allowed: row(405, false, 'The route exists, but not for this method.'),
  conflict: row(409, false, 'The request contradicts what is already recorded.'),
  version_changed: row(409, false, 'The record has another current version; `details.version` names it.'),
  already_answered: row(409, false, 'This item was answered differently before.'),
  session_running: row(409, true, 'The session is running. Wait, cancel it, or ask for an interrupt.'),
  already_running: row(409, true, 'This run is already being read.'),
  already_delivered: row(409, false, 'The message went to the model before, with the run in the details.'),
  run_changed: row(409, false, 'Another run than the expected one is active, or none.'),
  expired: row(409, false, 'This item is no longer open.'),
  session_exists: row(409, false, 'A session with this id exists.'),
  session_deleted: row(410, false, 'The session was deleted.'),
  log_reset: row(410, false, 'The cursor belongs to an earlier history. Read the session from the start.'),
  file_in_use: row(
    409,
    false,
    'A session refers to the file. `DELETE /api/files/:id?force=true` deletes it all the same.',
  ),
  payload_too_large: row(413, false, 'The body, or a field of it, is larger than allowed.'),
  unsupported_media_type: row(415, false, 'This route takes application/json.'),
  too_many_requests: row(429, true, 'A rate or concurrency limit was reached.'),
  queue_full: row(429, true, 'As many messages as are allowed wait in this session, or as much text.'),
  limit_reached: row(429, false, 'The owner has as many of these as are allowed. Delete one first.'),
  quota_exceeded: row(429, false, 'The budget of the API key is used up.'),
  internal: row(500, true, 'A bug in the server; the log has the details.'),
  shutting_down: row(503, true, 'The server is going down; another one will take over.'),
  not_ready: row(503, true, 'The server has not started yet, or could not; its log has the reason.'),
  identity_unavailable: row(503, true, 'It could not be found out in time who is calling.'),
  storage_full: row(507, true, 'The disk is full; nothing of this request was stored.'),
  owner_storage_full: row(
    507,
    false,
    'The files of the owner take all the room they may. Delete some first.',
  ),
  storage_error: row(500, true, 'The store could not be written or read.'),
  max_turns: row(500, false, 'The run used up its turns.'),
  budget_exceeded: row(500, false, 'The run used up its budget.'),
  deadline_exceeded: row(504, false, 'The run used up its time.'),
  model_error: row(502, false, 'The model refused or garbled the request.'),
  model_auth: row(401, false, 'The provider rejected the API key.'),
  model_rate_limited: row(429, true, 'The provider limits the rate.'),
  model_overloaded: row(529, true, 'The provider is overloaded.'),
  model_unavailable: row(502, true, 'The provider could not be reached, or its stream was interrupted.'),
  model_timeout: row(504, true, 'The provider fell silent.'),
  schema_rejected: row(400, false, 'The provider refused the schema of a tool.'),
  tools_unsupported: row(400, false, 'The model cannot call tools.'),
  context_too_long: row(400, false, 'The history does not fit the model.'),
  message_blocked: row(403, false, 'A hook of the server blocked the message.'),
  interrupted: row(500, true, 'The work was cut off before it ended.'),
  run_crashed: row(500, false, 'The server process ended repeatedly at the same step of the run.'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

const BRAND = Symbol.for('toolwire.error')

/** A refusal. Thrown by requests, never by runs (those record failures as events). */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  readonly [BRAND] = true

  constructor(code: ErrorCode, message?: string, details?: unknown) {
    super(message ?? ERRORS[code].meaning)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }

  /** True across bundles and copies of this package. */
  static is(error: unknown): error is AppError {
    return typeof error === 'object' && error !== null && BRAND in error
  }
}
