/**
 * Requests. A request is repeated only when that cannot do a thing twice: reads, changes to a
 * fixed value, and POSTs that carry an Idempotency-Key. Any other POST is sent once.
 */
import { type Backoff, delayOf, pause } from './backoff.ts'
import type { TokenSource } from './token-source.ts'
import { isTransient, readError, ToolwireError, toError } from './toolwire-error.ts'

export interface HttpOptions {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** Instead of a key. */
  readonly tokens?: TokenSource | undefined
  /** Further headers, asked for before every request. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined
  readonly fetch: typeof fetch
  readonly retries: number
  readonly backoff: Backoff
}

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** The body as it is, in place of JSON. */
  readonly bytes?: Blob
  readonly headers?: Readonly<Record<string, string>>
  /** Idempotency-Key: makes a POST repeatable. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Repetitions after the first attempt; the client's setting without it. */
  readonly retries?: number
}

export interface Http {
  /** Sends once and resolves with the response, whatever its status. Throws `network` or `aborted`. */
  open(request: HttpRequest): Promise<Response>
  /** Sends, repeats where that is safe, and reads the answer. Throws ToolwireError. */
  send<T>(request: HttpRequest, read: (response: Response) => Promise<T>): Promise<T>
  /** `send` for JSON answers. The shape is the server's word. */
  json<T>(request: HttpRequest): Promise<T>
}

export function createHttp(options: HttpOptions): Http {
  async function open(request: HttpRequest): Promise<Response> {
    const { tokens } = options
    if (!tokens) return await openOnce(options, request, options.apiKey)
    const token = await tokens.current().catch(rethrow)
    const response = await openOnce(options, request, token)
    if (!(await isSignedOut(response))) return response
    // Nothing was done for a refused caller, so any request may be repeated.
    const next = await tokens.renew(token).catch(rethrow)
    return next === token ? response : await openOnce(options, request, next)
  }

  async function send<T>(request: HttpRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const repeatable = request.method !== 'POST' || request.key !== undefined
    const retries = repeatable ? (request.retries ?? options.retries) : 0
    for (let attempt = 0; ; attempt++) {
      const error = await attemptOnce(request, read)
      if (!(error instanceof ToolwireError)) return error.value
      // The server knows better than a status: a full quota stays full.
      const isHopeless = !isTransient(error.status) || (error.status > 0 && !error.retryable)
      if (attempt >= retries || isHopeless || request.signal?.aborted) throw error
      await pause(delayOf(attempt, options.backoff), request.signal)
    }
  }

  async function attemptOnce<T>(
    request: HttpRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<{ readonly value: T } | ToolwireError> {
    try {
      const response = await open(request)
      return response.ok ? { value: await read(response) } : await readError(response)
    } catch (error) {
      return toError(error)
    }
  }

  return {
    open,
    send,
    json: <T>(request: HttpRequest) => send<T>(request, response => response.json() as Promise<T>),
  }
}

/** The credential was refused; other errors have the status 401 too, such as a provider's key. */
async function isSignedOut(response: Response): Promise<boolean> {
  return response.status === 401 && (await readError(response.clone())).code === 'unauthorized'
}

function rethrow(error: unknown): never {
  throw new ToolwireError('token_failed', 'The token callback failed.', { cause: error })
}

async function openOnce(
  options: HttpOptions,
  request: HttpRequest,
  credential: string | undefined,
): Promise<Response> {
  const { method, body, bytes, key, signal } = request
  const headers: Record<string, string> = { ...options.headers?.(), ...request.headers }
  if (credential !== undefined) headers['authorization'] = `Bearer ${credential}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (bytes) headers['content-type'] = 'application/octet-stream'
  if (key !== undefined) headers['idempotency-key'] = key
  try {
    return await options.fetch(toUrl(options.baseUrl, request), {
      method,
      headers,
      // Another host must not get headers of this one.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(bytes ? { body: bytes } : {}),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw new ToolwireError('aborted', 'The request was given up.')
    throw toError(error)
  }
}

function toUrl(baseUrl: string, { path, query }: HttpRequest): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) params.set(name, String(value))
  const text = params.toString()
  return baseUrl.replace(/\/+$/, '') + path + (text === '' ? '' : `?${text}`)
}

/** A unique key. Pages without a secure context have no randomUUID. */
export function newKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
