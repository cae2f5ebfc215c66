/**
 * One response as server-sent events: headers, whole frames, heartbeats, and the two ways to end. `end` means that
 * the response is complete; everything else destroys the socket, because several clients take a clean end for
 * success.
 */
import { HEARTBEAT } from '@toolwire/wire'
import type { Exchange, ResponseBody } from './exchange.ts'

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
  readonly #exchange: Exchange
  #body: ResponseBody | undefined
  readonly #now: () => number
  readonly #framing: SseFraming
  #closed = false
  /** Time of the connection's last progress: a drain, or a write without a backlog. */
  #moved: number
  /** Writes that the system has not taken yet. */
  #untaken = 0
  #room: (() => void) | undefined
  #onClose: () => void = () => {}

  constructor(exchange: Exchange, now: () => number, framing: SseFraming = RECONNECTING) {
    this.#exchange = exchange
    this.#now = now
    this.#framing = framing
    this.#moved = now()
    exchange.client.onClose(() => this.#close())
  }

  get started(): boolean {
    return this.#body !== undefined
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
    if (this.#body || this.#closed) return
    this.#exchange.setHeaders(SSE_HEADERS)
    this.#body = this.#exchange.start(200)
    if (this.#framing.prelude === '') this.#body.flush()
    else this.#body.write(this.#framing.prelude, () => {})
  }

  /**
   * Whole frames in one write. Returns a promise only when the reader lags behind: it resolves when there is room
   * again, or the connection is closed.
   */
  write(chunk: string): Promise<void> | undefined {
    this.start()
    const body = this.#body
    if (this.#closed || !body) return undefined
    if (this.#untaken === 0) this.#moved = this.#now()
    this.#untaken += 1
    // A long string that the system does not take at once is kept at three times its size.
    body.write(chunk.length > ROOM ? toBytes(chunk) : chunk, this.#taken)
    if (this.#untaken === 1 && body.queued() <= ROOM) return undefined
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
    if (!this.#closed) this.#body?.end()
  }

  /** The answer is cut off; the client sees a broken connection and may resume. */
  destroy(): void {
    this.#exchange.client.destroy()
    this.#close()
  }

  /** Keeps an idle connection alive, and gives a stalled one up. Called now and then. */
  tick(limits: { readonly heartbeatMs: number; readonly stallMs: number }): void {
    const body = this.#body
    if (!body || this.#closed) return
    const idle = this.#now() - this.#moved
    if (this.#untaken > 0) {
      if (idle >= limits.stallMs) this.destroy()
    } else if (body.queued() > 0) {
      if (idle >= limits.stallMs + limits.heartbeatMs) this.destroy()
    } else if (idle >= limits.heartbeatMs) {
      this.#moved = this.#now()
      body.write(this.#framing.heartbeat, () => {})
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
