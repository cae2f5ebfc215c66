/**
 * One response as server-sent events: headers, whole frames, heartbeats, and the two ways to end. `end` means that
 * the response is complete; everything else destroys the socket, because several clients take a clean end for
 * success.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { HEARTBEAT } from '@toolwire/wire'
import type { FastifyReply } from 'fastify'

/** Headers of every event stream: no proxy may buffer, cache or compress it. */
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** One write of so many bytes is not waited for: the deltas of a live answer are taken long before the next one comes. */
const ROOM = 4096

/** Content of a stream beside its frames. */
export interface SseFraming {
  /** Sent right behind the headers; may be empty. */
  readonly prelude: string
  /** Keeps an idle connection alive. */
  readonly heartbeat: string
}

/** For `EventSource`, which reconnects by itself. */
const RECONNECTING: SseFraming = { prelude: 'retry: 1000\n\n', heartbeat: HEARTBEAT }

export class SseConnection {
  readonly #reply: FastifyReply
  readonly #raw: ServerResponse
  readonly #now: () => number
  readonly #framing: SseFraming
  #started = false
  #closed = false
  /** Time of the connection's last progress: a drain, or a write without a backlog. */
  #moved: number
  /** Writes that the system has not taken yet. */
  #untaken = 0
  #room: (() => void) | undefined
  #onClose: () => void = () => {}

  constructor(reply: FastifyReply, now: () => number, framing: SseFraming = RECONNECTING) {
    this.#reply = reply
    this.#raw = reply.raw
    this.#now = now
    this.#framing = framing
    this.#moved = now()
    // A client that left while its request was stored: `close` was emitted before this listener existed.
    this.#closed = this.#raw.destroyed
    this.#raw.once('close', () => this.#close())
    // A reset by the client is no news: `close` follows.
    this.#raw.on('error', () => {})
  }

  get started(): boolean {
    return this.#started
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Calls `listener` once, when either side has closed the connection; returns a function that unsubscribes. */
  onClose(listener: () => void): () => void {
    if (this.#closed) listener()
    else this.#onClose = listener
    return () => {
      this.#onClose = () => {}
    }
  }

  /** Sends the headers at once. Idempotent. */
  start(): void {
    if (this.#started || this.#closed) return
    this.#started = true
    this.#reply.hijack()
    // On the reply too: metrics identify a stream by it.
    this.#raw.writeHead(200, this.#reply.headers(SSE_HEADERS).getHeaders() as OutgoingHttpHeaders)
    if (this.#framing.prelude === '') this.#raw.flushHeaders()
    else this.#raw.write(this.#framing.prelude)
  }

  /**
   * Whole frames in one write. Returns a promise only when the reader lags behind: it resolves when there is room
   * again, or the connection is closed.
   */
  write(chunk: string): Promise<void> | undefined {
    this.start()
    if (this.#closed) return undefined
    if (this.#untaken === 0) this.#moved = this.#now()
    this.#untaken += 1
    // A long string that the system does not take at once is kept at three times its size.
    this.#raw.write(chunk.length > ROOM ? toBytes(chunk) : chunk, this.#taken)
    if (this.#untaken === 1 && this.#raw.writableLength <= ROOM) return undefined
    return new Promise(resolve => {
      this.#room = resolve
    })
  }

  readonly #taken = (): void => {
    this.#untaken -= 1
    this.#moved = this.#now()
    if (this.#untaken === 0) this.#goOn()
  }

  #goOn(): void {
    const room = this.#room
    this.#room = undefined
    room?.()
  }

  /** The answer is complete. */
  end(): void {
    if (!this.#closed) this.#raw.end()
  }

  /** The answer is cut off; the client sees a broken connection and may resume. */
  destroy(): void {
    this.#raw.destroy()
    this.#close()
  }

  /** Keeps an idle connection alive, and gives a stalled one up. Called now and then. */
  tick(limits: { readonly heartbeatMs: number; readonly stallMs: number }): void {
    if (!this.#started || this.#closed) return
    const idle = this.#now() - this.#moved
    if (this.#untaken > 0) {
      if (idle >= limits.stallMs) this.destroy()
    } else if (this.#raw.writableLength > 0) {
      if (idle >= limits.stallMs + limits.heartbeatMs) this.destroy()
    } else if (idle >= limits.heartbeatMs) {
      this.#moved = this.#now()
      this.#raw.write(this.#framing.heartbeat)
    }
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#goOn()
    this.#onClose()
  }
}

/** Not from the pool of small buffers: an unread slice would keep the whole pool buffer. */
function toBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
