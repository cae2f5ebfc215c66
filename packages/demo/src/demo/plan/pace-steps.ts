/** Plays steps in time: a pause per delta, a breath for the event loop, and a prompt end when aborted. */
import { type ModelPart, sleep } from '@toolwire/core'
import type { Step } from './stream-plan.ts'

/** However many deltas an answer has, its pauses add up to about this much at most. */
const LONGEST_MS = 6000
/** Timers are coarse: shorter pauses are saved up. */
const SHORTEST_MS = 4
const PARTS_PER_BREATH = 64

/**
 * The parts of what `makeSteps` returns, `paceMs` apart; 0 means as fast as readers take them. Explicit delays are
 * always kept. When `signal` aborts, the next part is an `interrupted` error and the last one. Never
 * throws: steps that cannot be made are an `internal` error.
 */
export async function* paceSteps(
  makeSteps: () => Iterable<Step>,
  paceMs: number,
  signal: AbortSignal,
): AsyncIterable<ModelPart> {
  const steps = made(makeSteps)
  const pause = Math.min(paceMs, LONGEST_MS / Math.max(1, steps.length))
  let owed = 0
  let sinceBreath = 0
  for (const step of steps) {
    if (step.type === 'delay') owed += step.ms
    else if (step.type === 'block-delta') owed += pause
    if (owed >= SHORTEST_MS) {
      await sleep(owed, signal)
      owed = 0
      sinceBreath = 0
    } else if (++sinceBreath >= PARTS_PER_BREATH) {
      await new Promise(resolve => setImmediate(resolve))
      sinceBreath = 0
    }
    if (signal.aborted) {
      yield INTERRUPTED
      return
    }
    if (step.type !== 'delay') yield step
  }
}

function made(makeSteps: () => Iterable<Step>): readonly Step[] {
  try {
    return [...makeSteps()]
  } catch {
    const message = 'The answer to this request could not be made.'
    return [{ type: 'error', error: { code: 'internal', message, retryable: false } }]
  }
}

const INTERRUPTED: ModelPart = {
  type: 'error',
  error: { code: 'interrupted', message: 'The answer was cut off by an abort.', retryable: true },
}
