/** Decides when a checkpoint is worth its bytes, and saves one at a time, of each session the latest offered. */
import { RecentMap } from '@toolwire/core'
import type { AnchoredState, VerifiedCheckpoints } from './verified-checkpoints.ts'

export interface CheckpointSaver {
  /** Saves the state in the background if the log has grown enough since the latest checkpoint. */
  readonly offer: (session: string, folded: AnchoredState, size: number) => void
  /** Notes a checkpoint that an earlier process saved. */
  readonly wasSaved: (session: string, seq: number, size: number) => void
  /** Resolves when nothing is being saved. */
  readonly settled: () => Promise<void>
}

/** The log must have grown by this, or by half of the latest checkpoint, before the next one is saved. */
const MIN_GROWTH = 256 * 1024
/** Bytes of a stored event that adds nothing to the state, about. */
const EVENT_SIZE = 150
/** Sessions whose latest checkpoint is remembered. Forgetting one costs a checkpoint that was not due. */
const MAX_POSITIONS = 8192

interface SaveJob {
  readonly folded: AnchoredState
  readonly size: number
}

export function createCheckpointSaver(save: VerifiedCheckpoints['save']): CheckpointSaver {
  const positions = new RecentMap<string, { readonly seq: number; readonly size: number }>(MAX_POSITIONS)
  const waiting = new Map<string, SaveJob>()
  let saving: Promise<void> | undefined

  function wasSaved(session: string, seq: number, size: number): void {
    positions.set(session, { seq, size })
  }
  function isDue(session: string, seq: number, size: number): boolean {
    const saved = positions.get(session) ?? { seq: 0, size: 0 }
    const growth = Math.max(0, size - saved.size) + (seq - saved.seq) * EVENT_SIZE
    return growth > Math.max(MIN_GROWTH, saved.size / 2)
  }
  async function saveAll(): Promise<void> {
    for (const [session, { folded, size }] of waiting) {
      waiting.delete(session)
      // Losing one costs time when the session is opened next, nothing else.
      await save(session, folded).catch(() => {})
      wasSaved(session, folded.last.seq, size)
    }
    saving = undefined
  }

  return {
    offer(session, folded, size) {
      if (!isDue(session, folded.last.seq, size)) return
      waiting.set(session, { folded, size })
      saving ??= saveAll()
    },
    wasSaved,
    async settled() {
      while (saving) await saving
    },
  }
}
