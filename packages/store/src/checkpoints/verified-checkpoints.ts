/** Checkpoints that are verified against the log before anything of them is used. One that does not match is deleted. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  advance,
  type CheckpointStore,
  type FactsAt,
  NO_FACTS,
  type Rec,
  type SessionState,
  type Store,
} from '@toolwire/core'
import { anchorOf } from './anchor.ts'
import { encodeCheckpoint, type OpenCheckpoint, openCheckpoint, type SizedState } from './checkpoint-codec.ts'

/** A state and the last record in it. */
export interface AnchoredState {
  readonly last: Rec
  readonly state: SessionState
}

export interface VerifiedCheckpoints {
  readonly state: (session: string) => Promise<(AnchoredState & Pick<SizedState, 'size'>) | undefined>
  /** Starts at 0 without a checkpoint. */
  readonly facts: (session: string) => Promise<FactsAt>
  /** Stores the state together with the facts at the same position. Rejects with what the log or the store rejects with. */
  readonly save: (session: string, folded: AnchoredState) => Promise<void>
}

const PAGE = 1000

export function createVerifiedCheckpoints(
  log: Pick<Store, 'read' | 'lineage'>,
  store: CheckpointStore,
  onDropped: (session: string) => void,
): VerifiedCheckpoints {
  const lineage = async (): Promise<string> => (await log.lineage?.()) ?? ''

  async function load(session: string): Promise<OpenCheckpoint | undefined> {
    const data = await store.load(session).catch(() => undefined)
    if (!data) return undefined
    const opened = openCheckpoint(data, { session, lineage: await lineage() })
    if (!opened) await drop(session)
    return opened
  }
  async function drop(session: string): Promise<void> {
    onDropped(session)
    await store.remove([session]).catch(() => {})
  }
  async function anchoredBy({ seq, anchor }: OpenCheckpoint, session: string): Promise<Rec | undefined> {
    const [last] = await log.read(session, seq - 1, 1)
    return last && anchorOf(last) === anchor ? last : undefined
  }

  async function facts(session: string): Promise<FactsAt> {
    const opened = await load(session)
    if (!opened) return START
    const last = await anchoredBy(opened, session)
    const found = last && (await opened.facts().catch(() => undefined))
    if (!found) await drop(session)
    return found ?? START
  }

  /** Facts at exactly `seq`; undefined when the log ends before it. */
  async function factsUpTo(session: string, seq: number): Promise<FactsAt | undefined> {
    let at = await facts(session)
    while (at.seq < seq) {
      const records = await log.read(session, at.seq, Math.min(PAGE, seq - at.seq))
      if (records.length === 0) return undefined
      at = { facts: records.reduce(advance, at.facts), seq: at.seq + records.length }
      // Records may be many, and large: other work gets its turn after each page.
      await nextTurn()
    }
    return at.seq === seq ? at : undefined
  }

  return {
    facts,
    async state(session) {
      const opened = await load(session)
      if (!opened) return undefined
      const last = await anchoredBy(opened, session)
      const found = last && (await opened.state().catch(() => undefined))
      if (last && found?.state.head === last.seq) return { last, ...found }
      await drop(session)
      return undefined
    },
    async save(session, { last, state }) {
      const at = await factsUpTo(session, last.seq)
      if (!at) return
      const name = { session, lineage: await lineage() }
      await store.save(session, last.seq, await encodeCheckpoint(name, at, { anchor: anchorOf(last), state }))
    },
  }
}

const START: FactsAt = { facts: NO_FACTS, seq: 0 }
