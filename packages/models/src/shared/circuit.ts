/**
 * The health of one provider. A provider that fails several times in a row is asked after the other models of a request until
 * it has had time to recover; the first failure after that time starts another, longer one.
 */
import type { Failure, Model } from '@toolwire/core'
import { replaceFirst } from './replace-first.ts'

export interface Circuit {
  /** True while other models are asked first. */
  readonly isOpen: () => boolean
  readonly fail: () => void
  readonly succeed: () => void
}

const MAX_FAILURES = 5
const FIRST_OPEN_MS = 10_000
const MAX_OPEN_MS = 300_000

/** `now` is in milliseconds. */
export function createCircuit(now: () => number = Date.now): Circuit {
  let failures = 0
  let until = 0
  return {
    isOpen: () => until > now(),
    fail() {
      failures += 1
      const times = failures - MAX_FAILURES
      // Requests that were sent before it opened fail, too; they prove nothing new.
      if (times >= 0 && until <= now()) until = now() + Math.min(FIRST_OPEN_MS * 2 ** times, MAX_OPEN_MS)
    },
    succeed() {
      failures = 0
      until = 0
    },
  }
}

/** Failures of the provider itself. Limits belong to a key, everything else to the request. */
const isOfProvider = ({ code }: Failure): boolean =>
  code === 'model_unavailable' || code === 'model_timeout' || code === 'model_overloaded'

/** The model with the health of its provider. */
export function withCircuit(model: Model, circuit: Circuit): Model {
  return {
    ...model,
    // A model may move to another API, which changes its name in the log.
    get provider() {
      return model.provider
    },
    isFailing: circuit.isOpen,
    stream: (request, signal) =>
      replaceFirst(model.stream(request, signal), part => {
        const isFailed = part.type === 'error' && isOfProvider(part.error)
        if (isFailed && !signal.aborted) circuit.fail()
        else if (part.type === 'start') circuit.succeed()
        return undefined
      }),
  }
}
