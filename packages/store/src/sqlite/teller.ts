/** Tells the database of claims and releases that no flush took along in time. */
import type { PreviewLaneParts } from './preview-lane.ts'
import { takeAlong } from './take-along.ts'

export interface Teller {
  /** Tells of all that waits; what cannot be told stays in force, and is tried again later. Not beside another flush. Never rejects. */
  readonly tell: () => Promise<void>
  /** Sees to it that what waits is told soon. */
  readonly remind: () => void
  /** Nothing waits any more. */
  readonly stop: () => void
}

const TELL_MS = 100

/** `ask` is called with `tell` when it is time for that. */
export function createTeller(parts: PreviewLaneParts, ask: (tell: () => Promise<void>) => void): Teller {
  let reminder: NodeJS.Timeout | undefined

  async function tell(): Promise<void> {
    const { chunks, sessions, done } = takeAlong(parts)
    if (sessions.length === 0) return
    try {
      await parts.writer.request({ type: 'flush', durable: false, chunks, sessions })
      done()
    } catch {
      // A full disk may have room later.
    }
  }
  return {
    tell,
    remind() {
      if (parts.deferred.isEmpty()) return
      reminder ??= setTimeout(() => {
        reminder = undefined
        ask(tell)
      }, TELL_MS)
    },
    stop() {
      clearTimeout(reminder)
      reminder = undefined
    },
  }
}
