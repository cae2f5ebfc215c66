/** Writes claims and releases that no other flush has included. */

import { collectDeferredWrites } from './deferred-writes.ts'
import type { PreviewLaneParts } from './preview-lane.ts'

export interface DeferredFlusher {
  /**
   * Writes all that is pending; failed ones stay active and are retried. Not beside another flush. Never rejects.
   */
  readonly flush: () => Promise<void>
  /** Schedules a write of pending entries. */
  readonly remind: () => void
  /** Nothing waits any more. */
  readonly stop: () => void
}

const TELL_MS = 100

/** Calls `ask` with `flush` when a flush is due. */
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
