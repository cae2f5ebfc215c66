/**
 * One model request over HTTP, with patience: sends, reads the event stream, repeats what
 * may be repeated. Nothing is repeated once content has been passed on, so no text and no
 * call can appear twice; what a repeated attempt used is told before the next one is made.
 * Never throws; ends with exactly one `end` or `error` part.
 */
import type { Failure, ModelPart } from '@toolwire/core'
import { Attempt, type Upstream } from './attempt.ts'
import { type RetryRules, retryDelay } from './backoff.ts'
import type { Silence } from './watchdog.ts'

export interface Patience {
  readonly silence: Silence
  readonly retry: RetryRules
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

export async function* streamUpstream<S>(
  upstream: Upstream<S>,
  patience: Patience,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, void> {
  for (let attempt = 0; ; attempt++) {
    const delayOf = (failure: Failure): number | undefined =>
      signal.aborted ? undefined : retryDelay(failure, attempt, patience.retry, patience.random)
    const gate = createGate(delayOf)
    const one = new Attempt(upstream, patience.silence, signal)
    try {
      for (let parts = await one.next(); parts; parts = await one.next()) {
        for (const part of gate.pass(parts)) yield part
        if (gate.delay() !== undefined) break
      }
    } finally {
      one.leave()
    }
    const delay = gate.delay()
    if (delay === undefined) return
    await patience.sleep(delay, signal)
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
