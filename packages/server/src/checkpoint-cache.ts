/**
 * Projection states at the ends of answers, for the sessions used lately: the next answer of a
 * long session starts behind them instead of at its first record. Losing one costs only time.
 */
import type { Checkpoint, Wire } from '@toolwire/wire'

interface PlacedCheckpoint {
  readonly seq: number
  readonly checkpoint: Checkpoint
}

export interface CheckpointCache {
  /** The latest state that is not behind `limit`; undefined when there is none. */
  get(wire: Wire, session: string, limit: number): PlacedCheckpoint | undefined
  /** Keeps the state, unless a later one is kept already. */
  set(wire: Wire, session: string, placed: PlacedCheckpoint): void
  /** Forgets all of them: the log is another one. */
  clear(): void
}

const KEEP = 500

export function createCheckpointCache(): CheckpointCache {
  const kept = new Map<string, PlacedCheckpoint>()
  return {
    get(wire, session, limit) {
      const placed = kept.get(`${wire.id}:${session}`)
      return placed && placed.seq <= limit ? placed : undefined
    },
    set(wire, session, placed) {
      const key = `${wire.id}:${session}`
      if ((kept.get(key)?.seq ?? 0) > placed.seq) return
      // Re-inserted, so that the first key is the one not used for longest.
      kept.delete(key)
      kept.set(key, placed)
      const oldest = kept.keys().next().value
      if (kept.size > KEEP && oldest !== undefined) kept.delete(oldest)
    },
    clear: () => kept.clear(),
  }
}
