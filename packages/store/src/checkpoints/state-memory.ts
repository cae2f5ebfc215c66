/** Keeps the states of recently used sessions, up to a bound of text. The state itself is immutable and shared. */
import { type HistoryMessage, type SessionState, weightOf } from '@toolwire/core'
import type { AnchoredState } from './verified-checkpoints.ts'

export interface StateMemory {
  readonly get: (session: string) => AnchoredState | undefined
  readonly put: (session: string, folded: AnchoredState, size: number) => void
  readonly forget: (session: string) => void
}

/** Characters of all states together. */
const MAX_SIZE = 32 * 1024 * 1024

export function createStateMemory(maxSize: number = MAX_SIZE): StateMemory {
  const entries = new Map<string, { readonly folded: AnchoredState; readonly size: number }>()
  let total = 0

  function forget(session: string): void {
    total -= entries.get(session)?.size ?? 0
    entries.delete(session)
  }
  return {
    get(session) {
      const entry = entries.get(session)
      if (!entry) return undefined
      // Re-inserted, so that the first key is the one not used for longest.
      entries.delete(session)
      entries.set(session, entry)
      return entry.folded
    },
    put(session, folded, size) {
      forget(session)
      if (size > maxSize) return
      entries.set(session, { folded, size })
      total += size
      for (const oldest of entries.keys()) {
        if (total <= maxSize) return
        forget(oldest)
      }
    },
    forget,
  }
}

/** Characters of the state as JSON, about. Parts that were measured before, in this state or an earlier one, are not measured again. */
export function sizeOf(state: SessionState): number {
  const { messages, agents, past_agents = {}, exchanges = [], hidden = [], ...rest } = state
  const parts = [...Object.values(past_agents), ...exchanges, ...hidden]
  const past = parts.reduce((sum, part) => sum + knownSize(part), 0)
  const live = Object.values(agents).reduce((sum, agent) => sum + sizeOfMessages(agent.messages), 0)
  return weightOf(rest) + past + live + sizeOfMessages(messages)
}

/** Sizes of immutable parts, by identity. */
const sizes = new WeakMap<object, number>()

function knownSize(part: object): number {
  const size = sizes.get(part) ?? weightOf(part)
  sizes.set(part, size)
  return size
}

/** Sizes of whole histories, by their last message: a history only grows at its end. */
const historySizes = new WeakMap<HistoryMessage, number>()

/** Notes the size of a state that was read from JSON, so that its messages are never written to be measured. */
export function noteSize({ messages }: SessionState, size: number): void {
  const last = messages.at(-1)
  if (last) historySizes.set(last, size)
}

function sizeOfMessages(messages: readonly HistoryMessage[]): number {
  const known = messages.findLastIndex(message => historySizes.has(message))
  const start = messages[known]
  let size = (start && historySizes.get(start)) ?? 0
  for (const message of messages.slice(known + 1)) size += weightOf(message)
  const last = messages.at(-1)
  if (last) historySizes.set(last, size)
  return size
}
