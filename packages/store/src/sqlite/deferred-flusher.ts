/** Tells the database of claims and releases that no flush took along in time. */

import { collectDeferredWrites } from './deferred-writes.ts'
import type { PreviewLaneParts } from './preview-lane.ts'

export interface DeferredFlusher {
  /** Tells of all that waits; what cannot be told stays in force, and is tried again later. Not beside another flush. Never rejects. */
  readonly flush: () => Promise<void>
  /** Sees to it that what waits is told soon. */
  readonly remind: () => void
  /** Nothing waits any more. */
  readonly stop: () => void
}

const TELL_MS = 100

/** `ask` is called with `tell` when it is time for that. */
export function createTeller(
  parts: PreviewLaneParts,
  ask: (flush: () => Promise<void>) => void,
): DeferredFlusher {
  let reminder: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    const { chunks, sessions, done } = collectDeferredWrites(parts)
    if (sessions.length === 0) return
    try {
      await parts.writer.request({ type: 'flush', durable: false, chunks, sessions })
      done()
    } catch {
      // A full disk may have room later.
    }
  }
  return {
    flush,
    remind() {
      if (parts.deferred.isEmpty()) return
      reminder ??= setTimeout(() => {
        reminder = undefined
        ask(flush)
      }, TELL_MS)
    },
    stop() {
      clearTimeout(reminder)
      reminder = undefined
    },
  }
}
