/**
 * The port every store implements: one log of events per session, five methods.
 * packages/store/test/contract.ts is its executable definition.
 */
import type { Rec, Seq, SessionEvent } from './event.ts'
import type { CheckpointStore } from './state-source.ts'

export type SessionPhase = 'idle' | 'running' | 'paused'

export interface Append {
  readonly session: string
  readonly events: readonly SessionEvent[]
  /** Owner's write: refused (`fenced`) unless `epoch` is current; repeating the same `w` is answered, not written again. */
  readonly as?: { readonly epoch: number; readonly w: number }
  /** Idempotency key of an input from any node. The second append with it gets `dup` and writes nothing. */
  readonly key?: string
  /** `create` makes the session and refuses an existing one; otherwise the session must exist. */
  readonly create?: boolean
  readonly state?: SessionPhase
  /** Give ownership up, iff the head is still this one (else `conflict`): no input can slip in between. */
  readonly releaseIfHead?: Seq
  /** List and search columns, written in the same transaction. `text` is added to the session's searchable text; without it, what users and models say in the events is. */
  readonly index?: {
    readonly title?: string
    readonly labels?: Readonly<Record<string, string | null>>
    readonly wakeAt?: number | null
    readonly text?: string
  }
}

export type AppendResult =
  | { readonly head: Seq }
  | { readonly dup: Seq }
  | { readonly fenced: number }
  | { readonly conflict: Seq }
  | { readonly missing: 'never' | 'deleted' }

export interface ClaimedSession {
  readonly session: string
  readonly epoch: number
  readonly head: Seq
}

export interface SessionRow {
  readonly id: string
  readonly head: Seq
  readonly epoch: number
  readonly owner: string | null
  readonly state: SessionPhase
  readonly title: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly wakeAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ListQuery {
  readonly state?: SessionPhase
  /** Words that must all occur in title or text. */
  readonly text?: string
  /** Exact ids, or an id prefix. */
  readonly ids?: readonly string[]
  readonly idPrefix?: string
  readonly labels?: Readonly<Record<string, string>>
  /** Opaque `next` of the previous page. Order: last updated first. */
  readonly after?: string
  readonly limit: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

export interface LogReadOptions {
  readonly live?: boolean
}

export interface SessionLog {
  /** The only write. All writes of one call are judged one by one; each is all or nothing. Resolves after commit. */
  append(writes: readonly Append[]): Promise<readonly AppendResult[]>
  /**
   * Events after `after`, in order, at most `max`: everything committed before the call. Empty for an unknown or
   * deleted session. `live` may return early, never empty, with the cached part; a later hint announces the rest.
   */
  read(session: string, after: Seq, max: number, how?: LogReadOptions): Promise<readonly Rec[]>
  /**
   * As `read`, from memory alone and at once: undefined when what comes after `after` is not all at hand. Stores that
   * keep nothing in memory have it not.
   */
  peek?(session: string, after: Seq, max: number): readonly Rec[] | undefined
  /**
   * Renews the lease of `node`; claims unowned running sessions and those whose `wakeAt` has passed. Each claim
   * starts a new epoch.
   */
  claim(request: {
    readonly node: string
    readonly ttlMs: number
    readonly max: number
    readonly session?: string
    /**
     * Sessions that the node is running. An owned running session that is not listed was claimed by a lost
     * response and is claimed again. Stores whose responses cannot be lost may ignore it.
     */
    readonly known?: readonly string[]
  }): Promise<readonly ClaimedSession[]>
  /** Advisory: something was committed; '*' means re-read everything you watch. Never called before the commit. */
  watch(hint: (session: string, head: Seq) => void): Promise<() => void>
  list(query: ListQuery): Promise<Page<SessionRow>>
}

export interface StoreStats {
  readonly sessions: number
  readonly events: number
  readonly rows: number
  readonly bytes: number
  readonly byState: Readonly<Record<string, number>>
  /** Set when a large database was not counted. */
  readonly isEstimate?: boolean
}

/** Maintenance operations beside the log. */
export interface StoreMaintenance {
  /** Deletes a session's events and leaves a tombstone for late writers. False if the session does not exist. */
  remove(session: string): Promise<boolean>
  /** Removes sessions last updated before `before` that are not running or paused; `dryRun` only counts. */
  prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<number>
  stats(): Promise<StoreStats>
  /**
   * Names the history that this log belongs to: another name after a restore, or after a failover that may have
   * lost events, so that places in the former history are known as such. Empty for the first one.
   */
  lineage?(): Promise<string>
  /**
   * True if the lease of a node has expired; false for a node that never claimed. Only shared stores implement it.
   */
  isLeaseExpired?(node: string): Promise<boolean>
  /** True if some node has a lease, so that stored inputs are run. Only shared stores implement it. */
  hasLiveNode?(): Promise<boolean>
  /** Reads all stored pages, beside the service. Returns the damage that it finds. Absent where the database does it itself. */
  checkIntegrity?(): Promise<string | undefined>
  /** Stores checkpoints of derived state. Absent if the store cannot. */
  readonly checkpoints?: CheckpointStore
  /** Flushes, stops background work and frees the files. Idempotent. */
  close(): Promise<void>
}

export type Store = SessionLog & StoreMaintenance
