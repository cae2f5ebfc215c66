/**
 * Tells waiting cursors that their session moved: one watch on the store, however many
 * connections wait. A ring is a hint, never data; whoever waits reads the log itself.
 */
import type { SessionLog } from '@toolwire/core'

/** `head` is where the log ends as far as known; 0 when it is not. */
type Ring = (event: 'moved' | 'removed', head: number) => void

export interface Bell {
  /** Calls `ring` for every hint about the session, until the returned function is called. */
  on(session: string, ring: Ring): () => void
  /** Stops watching. Idempotent. */
  close(): void
}

export async function createBell(log: SessionLog): Promise<Bell> {
  const waiting = new Map<string, Set<Ring>>()
  function ringAll(rings: ReadonlySet<Ring> | undefined, event: 'moved' | 'removed', head: number): void {
    // Rings may be taken off while this goes round, and none is put on.
    if (rings) for (const ring of rings) ring(event, head)
  }
  const unwatch = await log.watch((session, head) => {
    if (session !== '*') return ringAll(waiting.get(session), head === 0 ? 'removed' : 'moved', head)
    for (const rings of [...waiting.values()]) ringAll(rings, 'moved', 0)
  })
  return {
    on(session, ring) {
      const rings = waiting.get(session) ?? new Set()
      waiting.set(session, rings.add(ring))
      return () => {
        rings.delete(ring)
        if (rings.size === 0 && waiting.get(session) === rings) waiting.delete(session)
      }
    },
    close() {
      unwatch()
      waiting.clear()
    },
  }
}
