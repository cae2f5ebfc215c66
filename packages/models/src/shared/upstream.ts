/**
 * One model request over HTTP, with retries: sends it, reads the event stream, retries what may be retried.
 * Nothing is retried once content has been passed on, so no text and no call can appear twice; the usage of a
 * retried attempt is reported before the next one. Never throws; ends with exactly one `end` or `error` part.
 */
import type { Failure, ModelPart } from '@toolwire/core'
import { Attempt, type Upstream } from './attempt.ts'
import { type RetryRules, retryDelay } from './backoff.ts'
import type { SilenceLimits } from './watchdog.ts'

export interface Patience {
  readonly silence: SilenceLimits
  readonly retry: RetryRules
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

/** To be read by one reader, one part at a time; nothing is sent before the first is asked for. */
export const streamUpstream = <S>(
  upstream: Upstream<S>,
  patience: Patience,
  signal: AbortSignal,
): AsyncIterableIterator<ModelPart, void, void> => new PatientStream(upstream, patience, signal)

/** One attempt, and what may pass of it. */
interface Try<S> {
  readonly one: Attempt<S>
  readonly gate: Gate
}

/** Written out, not a generator: those cost each delta a few promises. */
class PatientStream<S> implements AsyncIterableIterator<ModelPart, void, void> {
  readonly #upstream: Upstream<S>
  readonly #patience: Patience
  readonly #signal: AbortSignal
  #attempts = 0
  #try: Try<S> | undefined
  #ready: readonly ModelPart[] = []
  /** Number of parts taken from `#ready`. */
  #taken = 0
  #isOver = false

  constructor(upstream: Upstream<S>, patience: Patience, signal: AbortSignal) {
    this.#upstream = upstream
    this.#patience = patience
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<ModelPart, void>> {
    for (;;) {
      const part = this.#ready[this.#taken]
      if (part) {
        this.#taken += 1
        return { done: false, value: part }
      }
      if (this.#isOver) return { done: true, value: undefined }
      this.#try ??= this.#begin()
      const { one, gate } = this.#try
      const delay = gate.delay()
      if (delay === undefined) this.#take(await one.next(), gate)
      else {
        this.#leave()
        await this.#patience.sleep(delay, this.#signal)
      }
    }
  }

  async return(): Promise<IteratorResult<ModelPart, void>> {
    this.#end()
    return { done: true, value: undefined }
  }

  #begin(): Try<S> {
    const attempt = this.#attempts++
    const { retry, random, silence } = this.#patience
    const delayOf = (failure: Failure): number | undefined =>
      this.#signal.aborted ? undefined : retryDelay(failure, attempt, retry, random)
    return { one: new Attempt(this.#upstream, silence, this.#signal), gate: createGate(delayOf) }
  }

  #take(parts: readonly ModelPart[] | undefined, gate: Gate): void {
    this.#taken = 0
    this.#ready = parts ? gate.pass(parts) : []
    if (!parts) this.#end()
  }

  #leave(): void {
    this.#try?.one.leave()
    this.#try = undefined
  }

  #end(): void {
    this.#isOver = true
    this.#ready = []
    this.#leave()
  }
}

/** An answer that is only an error: nothing was sent. */
export async function* failedStream(error: Failure): AsyncGenerator<ModelPart, void, void> {
  yield { type: 'error', error }
}

interface Gate {
  readonly pass: (parts: readonly ModelPart[]) => readonly ModelPart[]
  /** The time to wait when the attempt failed before any content and may be repeated. */
  readonly delay: () => number | undefined
}

/** Holds a message's start back until content follows: a repeated attempt would begin a second message. */
function createGate(delayOf: (failure: Failure) => number | undefined): Gate {
  let start: ModelPart | undefined
  let hasContent = false
  let delay: number | undefined
  return {
    delay: () => delay,
    pass(parts) {
      if (hasContent) return parts
      const first = parts.find(part => part.type !== 'start')
      start ??= parts.find(part => part.type === 'start')
      if (!first) return []
      if (first.type === 'error') {
        delay = delayOf(first.error)
        return delay === undefined ? [first] : toRetry(first)
      }
      hasContent = true
      const rest = parts.filter(part => part.type !== 'start')
      return start ? [start, ...rest] : rest
    },
  }
}

/** A provider bills what it has read, also when nothing came of it. */
function toRetry({ error, usage, cost_usd }: Extract<ModelPart, { type: 'error' }>): readonly ModelPart[] {
  if (usage === undefined) return []
  return [{ type: 'retry', error, usage, ...(cost_usd === undefined ? {} : { cost_usd }) }]
}
