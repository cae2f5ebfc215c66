/**
 * One attempt at a model request: send, judge the answer, fold the stream, batch by batch. The last part of
 * the last batch is `end` or `error`, and no other part is.
 */
import type { Failure, ModelPart } from '@toolwire/core'
import { readRetryAfter } from './backoff.ts'
import { createEventParser, FrameTooLargeError, type SseEvent } from './event-parser.ts'
import { toFailure } from './failure.ts'
import type { Chunks, ProviderResponse } from './provider-response.ts'
import { createWatchdog, type SilenceLimits, type Watchdog } from './watchdog.ts'

/** A provider's stream as a fold. Pure: `step` returns the same state when an event changes nothing. */
export interface StreamProtocol<S> {
  readonly initial: S
  readonly step: (state: S, event: SseEvent) => readonly [S, readonly ModelPart[]]
  /** The stream is over. `failure` is absent when it ended by itself. Returns what is still to be said. */
  readonly end: (state: S, failure?: Failure) => readonly ModelPart[]
}

export interface Upstream<S> {
  readonly provider: string
  readonly protocol: StreamProtocol<S>
  readonly send: (signal: AbortSignal) => Promise<ProviderResponse>
  /** Judges an answer that is not 2xx. */
  readonly toFailure: (response: ProviderResponse, body: string) => Failure
  /** Takes an answer that is not an event stream; undefined when it makes no sense. */
  readonly readWhole?: (body: string) => readonly ModelPart[] | undefined
  /** Last touch on every part: prices, names, the provider's request id. */
  readonly finish: (part: ModelPart, response: ProviderResponse) => ModelPart
}

const MAX_REFUSAL = 1_000_000

/** A provider ends its answer right after the last event; one that does not is not waited for. */
const TAIL_MS = 1000

/** One per request that is sent. A plain reader, not a chain of generators: every step of those costs each delta a few promises. */
export class Attempt<S> {
  readonly #upstream: Upstream<S>
  readonly #outer: AbortSignal
  readonly #controller = new AbortController()
  readonly #watchdog: Watchdog
  readonly #parse = createEventParser()
  #state: S
  #response: ProviderResponse | undefined
  #chunks: Chunks | undefined
  /** All that matters has been read. */
  #isOver = false
  #isDone = false

  constructor(upstream: Upstream<S>, silence: SilenceLimits, outer: AbortSignal) {
    this.#upstream = upstream
    this.#state = upstream.protocol.initial
    this.#outer = outer
    this.#watchdog = createWatchdog(silence, this.#abort)
    outer.addEventListener('abort', this.#abort, { once: true })
    if (outer.aborted) this.#abort()
  }

  /** The provider's next parts, at least one; undefined after the last. One call at a time. Never rejects. */
  async next(): Promise<readonly ModelPart[] | undefined> {
    if (this.#isDone) return undefined
    try {
      const chunks = this.#chunks ?? (await this.#begin())
      if ('parts' in chunks) {
        this.#isDone = true
        return chunks.parts
      }
      for (;;) {
        // The timeouts run only while a read is pending: a slow consumer is no silent provider.
        this.#watchdog.waiting()
        await chunks.ready()
        this.#watchdog.received()
        const chunk = chunks.take()
        if (!chunk) return this.#last(this.#upstream.protocol.end(this.#state))
        const parts = this.#fold(this.#parse(chunk))
        if (parts.length > 0) return this.#isOver ? this.#last(parts) : this.#finished(parts)
      }
    } catch (error) {
      const { protocol, provider } = this.#upstream
      return this.#last(protocol.end(this.#state, breakdown(error, provider, this.#watchdog, this.#outer)))
    }
  }

  /** To be called when no more is wanted. An answer that was read to its end leaves the connection to the next request; any other breaks it off. Idempotent. */
  leave(): void {
    this.#isDone = true
    this.#watchdog.stop()
    this.#outer.removeEventListener('abort', this.#abort)
    const chunks = this.#chunks
    this.#chunks = undefined
    if (this.#isOver && chunks) void readTail(chunks)
    else chunks?.cancel()
  }

  readonly #abort = (): void => this.#controller.abort()

  /** Sends the request. An answer that is no event stream is read at once. */
  async #begin(): Promise<Chunks | { readonly parts: readonly ModelPart[] }> {
    this.#watchdog.waiting()
    const response = await this.#upstream.send(this.#controller.signal)
    this.#response = response
    if (!response.ok) return { parts: [{ type: 'error', error: await refusal(this.#upstream, response) }] }
    const type = response.headers.get('content-type') ?? ''
    if (/text\/event-stream|octet-stream|^$/.test(type)) this.#chunks = response.chunks()
    return this.#chunks ?? { parts: this.#finished(await whole(this.#upstream, response, type)) }
  }

  #fold(events: readonly SseEvent[]): readonly ModelPart[] {
    const all: ModelPart[] = []
    for (const event of events) {
      const [next, parts] = this.#upstream.protocol.step(this.#state, event)
      if (next !== this.#state || parts.length > 0) this.#watchdog.content()
      this.#state = next
      for (const part of parts) all.push(part)
      // Parts after the end are dropped.
      this.#isOver = parts.some(isTerminal)
      if (this.#isOver) return all
    }
    return all
  }

  #last(parts: readonly ModelPart[]): readonly ModelPart[] {
    this.#isDone = true
    return this.#finished(parts)
  }

  #finished(parts: readonly ModelPart[]): readonly ModelPart[] {
    const response = this.#response
    return response ? parts.map(part => this.#upstream.finish(part, response)) : parts
  }
}

async function readTail(chunks: Chunks): Promise<void> {
  const timer = setTimeout(chunks.cancel, TAIL_MS)
  timer.unref()
  try {
    do await chunks.ready()
    while (chunks.take())
  } catch {
    // Broken after the end: nothing is lost.
  } finally {
    clearTimeout(timer)
  }
}

const isTerminal = (part: ModelPart): boolean => part.type === 'end' || part.type === 'error'

async function refusal<S>(upstream: Upstream<S>, response: ProviderResponse): Promise<Failure> {
  const body = await response.text(MAX_REFUSAL)
  const failure = upstream.toFailure(response, body)
  const wait = readRetryAfter(response.headers, Date.now())
  const should = response.headers.get('x-should-retry')
  return {
    ...failure,
    provider: upstream.provider,
    http_status: response.status,
    ...(should === null ? {} : { retryable: should === 'true' }),
    ...requestId(response),
    ...(wait === undefined
      ? {}
      : { details: { ...(failure.details as object | undefined), retry_after_ms: wait } }),
  }
}

async function whole<S>(
  upstream: Upstream<S>,
  response: ProviderResponse,
  type: string,
): Promise<readonly ModelPart[]> {
  const body = await response.text()
  const parts = upstream.readWhole?.(body)
  if (parts) return parts
  const message = `The provider answered with ${type || 'no content type'} instead of an event stream.`
  const extra = {
    provider: upstream.provider,
    http_status: response.status,
    details: { body: body.slice(0, 500) },
  }
  return [{ type: 'error', error: toFailure('model_error', message, extra) }]
}

/** The provider's own name for the exchange, for its support desk. */
export function requestId(response: ProviderResponse): { readonly request_id?: string } {
  const id = response.headers.get('request-id') ?? response.headers.get('x-request-id')
  return id === null ? {} : { request_id: id }
}

function breakdown(error: unknown, provider: string, watchdog: Watchdog, outer: AbortSignal): Failure {
  if (outer.aborted) return toFailure('interrupted', 'The request was cancelled.', { provider })
  const bite = watchdog.exceededLimit()
  if (bite === 'bytesMs')
    return toFailure('model_timeout', 'The provider sent nothing for too long.', { provider })
  if (bite)
    return toFailure('model_timeout', 'The provider kept the connection open but said nothing.', { provider })
  if (error instanceof FrameTooLargeError) return toFailure('model_error', error.message, { provider })
  // A base address may hold a password, and what refuses such an address repeats it.
  const cause = causeOf(error).replaceAll(/\/\/[^\s/@]+@/g, '//…@')
  if (/timeout/i.test(cause))
    return toFailure('model_timeout', `The provider fell silent (${cause}).`, { provider })
  return toFailure('model_unavailable', `The connection to the provider failed (${cause}).`, { provider })
}

/** `fetch` hides the reason of a failure in `cause`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason = error.cause instanceof Error ? error.cause : error
  const code = 'code' in reason && typeof reason.code === 'string' ? reason.code : ''
  return code === '' ? reason.message || error.message : code
}
