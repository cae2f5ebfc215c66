/** A request of a host that speaks fetch. Its response is pulled by the host: at most what it asks for leaves the queue. */
import { AppError } from '@toolwire/core'
import type { Principal } from '../access/principal.ts'
import { createClient, type OpenClient } from './client.ts'
import type { HostBody, HostExchange, ResponseBody } from './exchange.ts'

export interface FetchHost {
  readonly exchange: HostExchange
  /** Resolves when status and headers are known. */
  readonly response: Promise<Response>
}

const ENCODER = new TextEncoder()
/** Status of a response that is never read: its client has left. */
const CLIENT_LEFT = 499
/** The response was aborted before it began. */
const ABORTED = 503

/** `url` is the path below the base path; `principal` is set for requests of this very process. */
export function toFetchHost(request: Request, url: string, principal?: Principal): FetchHost {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const { signal } = request
  let body: PulledBody | undefined
  const client = createClient(signal.aborted, () => {
    resolve(new Response(null, { status: signal.aborted ? CLIENT_LEFT : ABORTED }))
    if (signal.aborted) body?.leave()
    else body?.abort()
  })
  const leave = (): void => client.destroy()
  signal.addEventListener('abort', leave, { once: true })
  client.onClose(() => signal.removeEventListener('abort', leave))
  const exchange: HostExchange = {
    method: request.method,
    url,
    headers: toHeaders(request),
    localAddress: undefined,
    remoteAddress: undefined,
    principal,
    client,
    toRequest: () => new Request(request.url, { method: request.method, headers: request.headers, signal }),
    readBody: limit => readBody(request, limit),
    readChunks: () => readChunks(request),
    start(status, headers, isEmpty) {
      body = new PulledBody(client, content => resolve(new Response(content, { status, headers })))
      body.begin(isEmpty)
      return body
    },
  }
  return { exchange, response: promise }
}

type WholeOrStream = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly onTaken: () => void
}

/** A body that is written and ended before the next microtask is one value; any other is a stream. */
class PulledBody implements ResponseBody {
  readonly #client: OpenClient
  readonly #respond: (content: WholeOrStream) => void
  #chunks: Chunk[] = []
  #queued = 0
  #isSent = false
  #isEnded = false
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Ends the pull of a host that waits for a chunk. */
  #wake: (() => void) | undefined

  constructor(client: OpenClient, respond: (content: WholeOrStream) => void) {
    this.#client = client
    this.#respond = respond
  }

  begin(isEmpty: boolean): void {
    if (isEmpty) {
      this.#isSent = true
      this.#respond(null)
      this.#client.close()
    } else queueMicrotask(() => this.#send())
  }

  write(chunk: string | Uint8Array, onTaken: () => void): void {
    if (this.#client.isClosed()) return
    // Never from the pool of small buffers: a host may hand the memory on to another thread.
    const bytes = typeof chunk === 'string' ? ENCODER.encode(chunk) : Uint8Array.from(chunk)
    this.#chunks.push({ bytes, onTaken })
    this.#queued += bytes.length
    this.#give()
  }

  flush(): void {
    if (!this.#isSent) this.#stream()
  }

  queued(): number {
    return this.#queued
  }

  end(): void {
    this.#isEnded = true
    this.#give()
  }

  /** The client has left: an error would only be printed by its host. */
  leave(): void {
    this.#chunks = []
    this.#queued = 0
    this.#closeStream()
    this.#wake?.()
  }

  /** The host sees a broken body, never a short one that looks complete. */
  abort(): void {
    this.#chunks = []
    this.#queued = 0
    this.#controller?.error(new Error('The response was aborted.'))
    this.#wake?.()
  }

  #send(): void {
    if (this.#isSent || this.#client.isClosed()) return
    if (this.#isEnded) this.#sendWhole()
    else this.#stream()
  }

  #sendWhole(): void {
    this.#isSent = true
    const chunks = this.#chunks.splice(0)
    const [only] = chunks
    this.#respond(chunks.length === 1 && only ? only.bytes : Buffer.concat(chunks.map(({ bytes }) => bytes)))
    for (const { onTaken } of chunks) onTaken()
    this.#client.close()
  }

  #stream(): void {
    this.#isSent = true
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: controller => {
        this.#controller = controller
      },
      pull: () =>
        new Promise<void>(resolve => {
          this.#wake = resolve
          this.#give()
        }),
      cancel: () => this.#client.destroy(),
    }
    // Nothing is queued in the stream itself: a chunk leaves when the host reads.
    this.#respond(new ReadableStream(source, { highWaterMark: 0 }))
  }

  #closeStream(): void {
    try {
      this.#controller?.close()
    } catch {
      // The host has cancelled it before.
    }
  }

  /** Hands the next chunk to a host that waits for one. */
  #give(): void {
    const wake = this.#wake
    const next = this.#chunks[0]
    if (!wake || this.#client.isClosed() || (!next && !this.#isEnded)) return
    this.#wake = undefined
    if (next) {
      this.#chunks.shift()
      this.#queued -= next.bytes.length
      this.#controller?.enqueue(next.bytes)
    }
    const isOver = this.#isEnded && this.#chunks.length === 0
    if (isOver) this.#closeStream()
    wake()
    if (next) queueMicrotask(next.onTaken)
    if (isOver) this.#client.close()
  }
}

function toHeaders(request: Request): HostExchange['headers'] {
  const headers = Object.fromEntries(request.headers)
  // A request that was made in process has no Host header: its URL names the host.
  return { ...headers, host: headers['host'] ?? new URL(request.url).host }
}

async function readBody(request: Request, limit: number): Promise<HostBody> {
  checkUnread(request)
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw new AppError('payload_too_large')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of readChunks(request)) {
    size += chunk.length
    if (size > limit) throw new AppError('payload_too_large')
    chunks.push(chunk)
  }
  return { bytes: Buffer.concat(chunks, size) }
}

function checkUnread({ body, bodyUsed }: Request): void {
  if (bodyUsed || body?.locked)
    throw new AppError(
      'bad_request',
      'The body was read before this request arrived here. Pass the request on unread.',
    )
}

/** The rest of a body whose consumer stops early is left to the host. */
async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  checkUnread(request)
  if (!request.body) return
  const reader = request.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new AppError('bad_request', 'The body ended early.')
      })
      if (done) return
      yield value
    }
  } finally {
    reader.releaseLock()
  }
}
