/**
 * Several keys of one provider. A conversation stays with one key, because prompt caches and encrypted reasoning belong to
 * a key. A key that the provider rejects or limits cools down, and the next one takes its conversations until then.
 */
import { createHash } from 'node:crypto'
import { type Failure, type Model, type ModelPart, RecentMap } from '@toolwire/core'
import { retryAfterOf } from './backoff.ts'
import { conversationOf } from './conversation.ts'
import { replaceFirst } from './replace-first.ts'
import type { PatienceOptions } from './retry-policy.ts'

/** The state of one key, without the key. */
export interface KeyState {
  /** Short digest of the key. */
  readonly mark: string
  readonly failures: number
  /** Milliseconds until it is used again; 0 when it can be used. */
  readonly coolingMs: number
}

export interface KeyPool {
  readonly keys: readonly string[]
  /** Positions in the order in which this conversation uses them: those that can be used first. */
  readonly order: (conversation: string) => readonly number[]
  /** The provider rejected or limited the key. */
  readonly fail: (position: number, failure: Failure) => void
  /** The key answered. The conversation stays with it. */
  readonly succeed: (position: number, conversation: string) => void
  readonly states: () => readonly KeyState[]
}

const FIRST_COOLING_MS = 60_000
const MAX_COOLING_MS = 3_600_000
/** Conversations that had to leave their first key; the oldest are forgotten. */
const MAX_MOVED = 10_000

const keyMark = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 8)

/** `now` is in milliseconds. */
export function createKeyPool(keys: readonly string[], now: () => number = Date.now): KeyPool {
  const states = keys.map(key => ({ mark: keyMark(key), failures: 0, until: 0 }))
  const moved = new RecentMap<string, number>(MAX_MOVED)
  const coolingMs = (position: number): number => Math.max(0, (states[position]?.until ?? 0) - now())
  const firstOf = (conversation: string): number =>
    Number.parseInt(conversation.slice(0, 8), 16) % keys.length
  return {
    keys,
    order(conversation) {
      const first = moved.get(conversation) ?? firstOf(conversation)
      const positions = keys.map((_, n) => (first + n) % keys.length)
      // Stable: usable keys keep their order, then the one that is back first.
      return positions.toSorted((a, b) => coolingMs(a) - coolingMs(b))
    },
    fail(position, failure) {
      const state = states[position]
      if (!state) return
      const grown = Math.min(FIRST_COOLING_MS * 2 ** state.failures, MAX_COOLING_MS)
      state.failures += 1
      state.until = now() + Math.min(retryAfterOf(failure) ?? grown, MAX_COOLING_MS)
    },
    succeed(position, conversation) {
      const state = states[position]
      if (state) state.failures = 0
      if (position === (moved.get(conversation) ?? firstOf(conversation))) return
      moved.set(conversation, position)
    },
    states: () => states.map(({ mark, failures }, n) => ({ mark, failures, coolingMs: coolingMs(n) })),
  }
}

/** Failures that another key of the same provider may not have. */
const isOfKey = ({ code }: Failure): boolean => code === 'model_auth' || code === 'model_rate_limited'

interface KeyedOptions {
  readonly key?: string
  readonly mark?: string
  readonly retry?: PatienceOptions['retry']
}

/**
 * A model over the keys of a pool. Moves to the next key when the provider rejects or limits one before any output.
 * `make` returns the model for one key. A pool without a choice costs nothing.
 */
export function createKeyedModel(pool: KeyPool, make: (options: KeyedOptions) => Model): Model {
  const [only] = pool.keys
  if (pool.keys.length < 2) return make(only === undefined ? {} : { key: only })
  const models = pool.keys.map((key): KeyedModel => {
    const mark = keyMark(key)
    // While another key can answer, a limited one is not waited for.
    return { hurried: make({ key, mark, retry: { isFinal: isOfKey } }), patient: make({ key, mark }) }
  })
  const [first = { hurried: make({}), patient: make({}) }] = models
  return {
    ...first.patient,
    stream(request, signal) {
      const conversation = conversationOf(request)
      const order = pool.order(conversation)
      const tryKey = (turn: number): AsyncIterable<ModelPart> => {
        const position = order[turn] ?? 0
        const isLast = turn >= order.length - 1
        const { patient, hurried } = models[position] ?? first
        return replaceFirst((isLast ? patient : hurried).stream(request, signal), part => {
          if (part.type !== 'error') pool.succeed(position, conversation)
          if (part.type !== 'error' || signal.aborted || !isOfKey(part.error)) return undefined
          pool.fail(position, part.error)
          return isLast ? undefined : tryKey(turn + 1)
        })
      }
      return tryKey(0)
    },
  }
}

interface KeyedModel {
  /** Repeats nothing that another key may not have to repeat. */
  readonly hurried: Model
  readonly patient: Model
}
