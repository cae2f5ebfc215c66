/**
 * Ports for state that is kept between runs. Everything behind them is derived from the log: it can be deleted at
 * any time and is rebuilt by the next reader.
 */
import type { Rec, Seq } from './event.ts'
import type { Facts } from './facts/index.ts'
import type { SessionState } from './state/state.ts'

/** A session's state and the record it ends with, by which a reader verifies that it belongs to the log. */
export interface FoldedState {
  /** Undefined for a session without events. */
  readonly last: Rec | undefined
  readonly state: SessionState
}

/** Facts of everything up to and including `seq`. */
export interface FactsAt {
  readonly facts: Facts
  readonly seq: Seq
}

export interface StateSource {
  /** The state of everything committed before the call. Rejects with what the log rejects with. */
  open(session: string): Promise<FoldedState>
  /** Facts of a prefix of the log, verified; the caller folds the rest. Rejects with what the log rejects with. */
  facts(session: string): Promise<FactsAt>
  /** Offers a later state for the next `open`. Never throws or waits. */
  offer(session: string, folded: FoldedState): void
}

/** Stores one checkpoint per session. All methods may lose data; none may return the data of another session. */
export interface CheckpointStore {
  load(session: string): Promise<Uint8Array | undefined>
  /** Keeps the checkpoint with the later `seq`. Stores nothing for a session that does not exist. */
  save(session: string, seq: Seq, data: Uint8Array): Promise<void>
  remove(sessions: readonly string[]): Promise<void>
}
