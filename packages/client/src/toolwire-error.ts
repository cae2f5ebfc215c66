/** The one error of this package: a refusal of the server, or the lack of an answer. */
export class ToolwireError extends Error {
  /** A code of the server's table, or `network`, `aborted`, `bad_response`, `frame_too_large`, `token_failed`. */
  readonly code: string
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The same request may succeed later. */
  readonly retryable: boolean
  readonly request_id: string | undefined
  readonly details: unknown

  constructor(
    code: string,
    message: string,
    about: {
      readonly status?: number
      readonly retryable?: boolean
      readonly request_id?: string | undefined
      readonly details?: unknown
      readonly cause?: unknown
    } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause })
    this.name = 'ToolwireError'
    this.code = code
    this.status = about.status ?? 0
    this.retryable = about.retryable ?? false
    this.request_id = about.request_id
    this.details = about.details
  }
}

/** Anything thrown while talking to the server, as a ToolwireError. */
export function toError(error: unknown): ToolwireError {
  if (error instanceof ToolwireError) return error
  const message = error instanceof Error ? error.message : textOf(error)
  return new ToolwireError('network', message, { retryable: true, cause: error })
}

/** Objects without a prototype or with an invalid `toString` cannot be converted to text. */
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'Something that is no error was thrown.'
  }
}

/** Reads a refusal; a body of another shape (a proxy's page) becomes `bad_response`. Never throws. */
export async function readError(response: Response): Promise<ToolwireError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const error = (body as { error?: Record<string, unknown> } | null | undefined)?.error
  const request_id = response.headers.get('x-request-id') ?? undefined
  if (typeof error?.['code'] !== 'string')
    return new ToolwireError('bad_response', `The server answered with status ${status}.`, {
      status,
      retryable: isTransient(status),
      request_id,
    })
  const { code, message } = error
  return new ToolwireError(code, typeof message === 'string' ? message : code, {
    status,
    retryable: error['retryable'] === true,
    request_id: typeof error['request_id'] === 'string' ? error['request_id'] : request_id,
    details: error['details'],
  })
}

/** Statuses that say "not now"; every other 4xx is final. */
export const isTransient = (status: number): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500
