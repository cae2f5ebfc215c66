/**
 * State between runs: recently used sessions in memory, others as checkpoints. Both are verified against the log:
 * the record that they end with must be in it. Any doubt drops them, and the state is folded from the log.
 */
import {
  type CheckpointStore,
  evolve,
  type FoldedState,
  initial,
  isPreview,
  NO_FACTS,
  type Rec,
  type StateSource,
  type Store,
} from '@toolwire/core'
import { isSameRecord } from './anchor.ts'
import { createCheckpointSaver } from './checkpoint-saver.ts'
import { createStateMemory, noteSize, sizeOf } from './state-memory.ts'
import { createVerifiedCheckpoints } from './verified-checkpoints.ts'

export interface StateSourceOptions {
  readonly log: Pick<Store, 'read' | 'watch' | 'lineage'>
  readonly checkpoints?: CheckpointStore | undefined
  /** Characters of all states in memory together. */
  readonly maxSize?: number
  /** Records up to which a log is folded without a look for its checkpoint. */
  readonly shortLog?: number
  /** Called when a stored state does not match the log. Must not throw. */
  readonly onDropped?: (session: string) => void
}

export interface OwnedStateSource extends StateSource {
  /** Resolves when no checkpoint is being written. */
  readonly settled: () => Promise<void>
}

const PAGE = 1000
/** Folding so many records costs less than looking for a checkpoint. */
const SHORT_LOG = 200

export function createStateSource(options: StateSourceOptions): OwnedStateSource {
  const { log, shortLog = SHORT_LOG, onDropped = () => {} } = options
  const memory = createStateMemory(options.maxSize)
  const checkpoints = options.checkpoints && createVerifiedCheckpoints(log, options.checkpoints, onDropped)
  const saver = checkpoints && createCheckpointSaver(checkpoints.save)
  // A removed session is announced with head 0.
  void log.watch((session, head) => head === 0 && memory.forget(session)).catch(() => {})

  /** A state in memory with everything after it. */
  async function fromMemory(session: string): Promise<FoldedState | undefined> {
    const folded = memory.get(session)
    if (!folded) return undefined
    const records = await log.read(session, folded.last.seq - 1, PAGE)
    if (records[0] && isSameRecord(records[0], folded.last)) return await foldOn(session, folded, records)
    memory.forget(session)
    onDropped(session)
    return undefined
  }

  async function fromCheckpoint(session: string): Promise<FoldedState | undefined> {
    const found = await checkpoints?.state(session)
    if (!found) return undefined
    const { size, ...folded } = found
    noteSize(folded.state, size)
    memory.put(session, folded, size)
    saver?.wasSaved(session, folded.last.seq, size)
    return await foldOn(session, folded, await log.read(session, folded.last.seq, PAGE))
  }

  /** Folds what follows `from`, beginning with `records`; those that it holds already are skipped. */
  async function foldOn(session: string, from: FoldedState, records: readonly Rec[]): Promise<FoldedState> {
    let { last, state } = from
    for (let page = records; ; page = await log.read(session, state.head, PAGE)) {
      for (const rec of page) {
        if (rec.seq !== state.head + 1) continue
        state = evolve(state, rec)
        last = rec
      }
      if (page.length < PAGE) return { last, state }
    }
  }

  async function fromLog(session: string): Promise<FoldedState> {
    const start = await log.read(session, 0, shortLog)
    const long = start.length < shortLog ? undefined : await fromCheckpoint(session)
    if (long) return long
    const folded = start.reduce<FoldedState>(({ state }, rec) => ({ last: rec, state: evolve(state, rec) }), {
      last: undefined,
      state: initial(),
    })
    return start.length < shortLog
      ? folded
      : await foldOn(session, folded, await log.read(session, folded.state.head, PAGE))
  }

  return {
    open: async session => (await fromMemory(session)) ?? (await fromLog(session)),
    facts: async session => (await checkpoints?.facts(session)) ?? { facts: NO_FACTS, seq: 0 },
    offer(session, { last, state }) {
      if (!last || last.seq !== state.head) return
      const size = sizeOf(state)
      memory.put(session, { last, state }, size)
      // A lost preview gives its seq to another event: only a fact is an anchor that lasts.
      if (!isPreview(last.ev.type)) saver?.offer(session, { last, state }, size)
    },
    settled: async () => await saver?.settled(),
  }
}
