/**
 * One attempt at a model request: send, judge the answer, fold the stream. The connection
 * is gone when the generator is, whoever ends it. Yields batches; the last part of the last one is
 * `end` or `error`, and no other part is.
 */
import type { Failure, ModelPart } from '@toolwire/core'
import type { Answer } from './answer.ts'
import { readRetryAfter } from './backoff.ts'
import { toFailure } from './failure.ts'
import { FrameTooLargeError, readEvents, type SseEvent } from './read-events.ts'
import { createWatchdog, type Silence, type Watchdog } from './watchdog.ts'

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
  readonly send: (signal: AbortSignal) => Promise<Answer>
  /** Judges an answer that is not 2xx. */
  readonly toFailure: (response: Answer, body: string) => Failure
  /** Takes an answer that is not an event stream; undefined when it makes no sense. */
  readonly readWhole?: (body: string) => readonly ModelPart[] | undefined
  /** Last touch on every part: prices, names, the provider's request id. */
  readonly finish: (part: ModelPart, response: Answer) => ModelPart
}

const MAX_BODY = 1_000_000

export async function* attemptOnce<S>(
  upstream: Upstream<S>,
  silence: Silence,
  outer: AbortSignal,
): AsyncGenerator<readonly ModelPart[], void, void> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const watchdog = createWatchdog(silence, abort)
  outer.addEventListener('abort', abort, { once: true })
  if (outer.aborted) abort()
  const said: Said<S> = { state: upstream.protocol.initial }
  try {
    yield* exchange(upstream, watchdog, controller.signal, said)
  } catch (error) {
    const { state, response } = said
    const parts = upstream.protocol.end(state, breakdown(error, upstream.provider, watchdog, outer))
    yield parts.map(part => (response ? upstream.finish(part, response) : part))
  } finally {
    watchdog.stop()
    outer.removeEventListener('abort', abort)
  }
}

/** How far an exchange came before it broke. */
interface Said<S> {
  state: S
  response?: Answer
  isOver?: boolean
}

async function* exchange<S>(
  upstream: Upstream<S>,
  watchdog: Watchdog,
  signal: AbortSignal,
  said: Said<S>,
): AsyncGenerator<readonly ModelPart[], void, void> {
  const { protocol } = upstream
  watchdog.waiting()
  const response = await upstream.send(signal)
  said.response = response
  const finish = (part: ModelPart): ModelPart => upstream.finish(part, response)
  if (!response.ok) {
    yield [{ type: 'error', error: await refusal(upstream, response) }]
    return
  }
  const type = response.headers.get('content-type') ?? ''
  const chunks = /text\/event-stream|octet-stream|^$/.test(type) ? response.chunks() : undefined
  if (!chunks) {
    yield (await whole(upstream, response, type)).map(finish)
    return
  }
  const phases = { ...watchdog, isOver: () => said.isOver === true }
  for await (const events of readEvents(chunks, phases)) {
    const parts = foldEvents(protocol, said, events, watchdog.content)
    said.isOver = parts.some(isTerminal)
    if (parts.length > 0) yield parts.map(finish)
    if (said.isOver) return
  }
  yield protocol.end(said.state).map(finish)
}

const isTerminal = (part: ModelPart): boolean => part.type === 'end' || part.type === 'error'

function foldEvents<S>(
  protocol: StreamProtocol<S>,
  said: Said<S>,
  events: readonly SseEvent[],
  onContent: () => void,
): readonly ModelPart[] {
  const all: ModelPart[] = []
  for (const event of events) {
    const [next, parts] = protocol.step(said.state, event)
    if (next !== said.state || parts.length > 0) onContent()
    said.state = next
    all.push(...parts)
    // What follows the end belongs to nobody.
    if (parts.some(isTerminal)) return all
  }
  return all
}

async function refusal<S>(upstream: Upstream<S>, response: Answer): Promise<Failure> {
  const body = (await response.text()).slice(0, MAX_BODY)
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
  response: Answer,
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
export function requestId(response: Answer): { readonly request_id?: string } {
  const id = response.headers.get('request-id') ?? response.headers.get('x-request-id')
  return id === null ? {} : { request_id: id }
}

function breakdown(error: unknown, provider: string, watchdog: Watchdog, outer: AbortSignal): Failure {
  if (outer.aborted) return toFailure('interrupted', 'The request was cancelled.', { provider })
  const bite = watchdog.bitten()
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
