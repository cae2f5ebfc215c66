/**
 * The store port over PostgreSQL, for any number of nodes: appends in groups, reads from the tail
 * in memory or from the database, hints of this node and of the others.
 */
import {
  AppError,
  type Append,
  type AppendResult,
  type CheckpointStore,
  type ClaimedSession,
  type ListQuery,
  type LogReadOptions,
  type Page,
  type Rec,
  type Seq,
  type SessionRow,
  type Store,
  type StoreStats,
} from '@toolwire/core'
import { createHints } from '../hints.ts'
import { createTailCache } from '../tail-cache.ts'
import { createCheckpointTable } from './checkpoint-table.ts'
import { claimSessions, hasLiveNode, isLeaseExpired } from './claim-sessions.ts'
import type { Connections } from './connections.ts'
import { createFolder, type PostgresFolder } from './fold.ts'
import { createGroupAppend, type GroupAppend, type PostgresCommit } from './group-append.ts'
import { createHintChannel, type HintChannel } from './hint-channel.ts'
import { readLineage } from './lineage.ts'
import { listSessions } from './list-sessions.ts'
import { countOld, findOld, removeSession } from './maintain.ts'
import { createRecordReader, type PostgresRecordReader } from './record-reader.ts'
import { createRetry, isUnprepared, type RetryFunction, toAppError } from './retry.ts'
import { createRowFinder, type RowFinder } from './row-finder.ts'
import { readStats } from './statistics.ts'

export interface PostgresStoreParts {
  readonly connections: Connections
  readonly now: (() => number) | undefined
  readonly listen: boolean
}

/** After one of these a message has ended: nothing before it is streamed any more. */
const ENDS_MESSAGE: ReadonlySet<string> = new Set(['turn.completed', 'message.aborted'])
/** Sessions looked for at once while pruning. */
const PRUNED_AT_ONCE = 100

export class PostgresStore implements Store {
  readonly checkpoints: CheckpointStore
  readonly #connections: Connections
  readonly #now: () => number | null
  readonly #patiently: RetryFunction
  readonly #appends: GroupAppend
  readonly #reader: PostgresRecordReader
  readonly #finder: RowFinder
  readonly #folder: PostgresFolder
  readonly #channel: HintChannel
  readonly #tails = createTailCache()
  #lineage: string | undefined
  readonly #hints = createHints()
  #closing: Promise<void> | undefined

  constructor(parts: PostgresStoreParts) {
    const { connections, now, listen } = parts
    this.#connections = connections
    this.checkpoints = createCheckpointTable(connections)
    this.#now = () => (now ? now() : null)
    this.#patiently = createRetry({
      isClosing: () => this.#closing !== undefined,
      onUnprepared: connections.stopNaming,
    })
    const publish = (committed: readonly PostgresCommit[]): void => this.#publish(committed)
    this.#appends = createGroupAppend({ connections, patiently: this.#patiently, now, publish })
    this.#reader = createRecordReader(connections, this.#patiently)
    this.#finder = createRowFinder(connections, this.#patiently)
    this.#folder = createFolder(connections)
    this.#channel = createHintChannel({ connections, listen, hint: (id, head) => this.#hear(id, head) })
  }

  /** Resolves when hints of other nodes arrive, or when it is known that they have to be polled for. */
  get ready(): Promise<void> {
    return this.#channel.ready
  }

  async append(writes: readonly Append[]): Promise<readonly AppendResult[]> {
    this.#mustBeOpen()
    return await this.#appends.append(writes)
  }

  async read(session: string, after: Seq, max: number, how?: LogReadOptions): Promise<readonly Rec[]> {
    this.#mustBeOpen()
    const from = Math.max(0, after)
    if (max <= 0) return []
    const tail = this.#tails.read(session, from, max) ?? []
    // A tail that ends proves nothing: another node, or an append in flight, may have continued.
    if (tail.length >= max || (tail.length > 0 && how?.live === true)) return tail
    const records = await this.#reader.read(session, from, max)
    this.#channel.follow(session, records.at(-1)?.seq ?? from)
    return records
  }

  /** Rejects with AppError('storage_error') at once when the database does not answer. `ttlMs` 0 gives the node's lease up. */
  async claim(request: Parameters<Store['claim']>[0]): Promise<readonly ClaimedSession[]> {
    this.#mustBeOpen()
    const claim = (): Promise<readonly ClaimedSession[]> =>
      claimSessions(this.#connections, request, this.#now())
    try {
      return await claim().catch(error => {
        if (!isUnprepared(error)) throw error
        this.#connections.stopNaming()
        return claim()
      })
    } catch (error) {
      throw toAppError(error)
    }
  }

  async watch(hint: (session: string, head: Seq) => void): Promise<() => void> {
    this.#mustBeOpen()
    return this.#hints.add(hint)
  }

  async list(query: ListQuery): Promise<Page<SessionRow>> {
    this.#mustBeOpen()
    const { ids, limit, ...others } = query
    const [id] = ids ?? []
    if (id === undefined || ids?.length !== 1 || limit < 1 || Object.keys(others).length > 0)
      return await this.#patiently(() => listSessions(this.#connections, query))
    const row = await this.#finder.find(id)
    return { items: row ? [row] : [], next: null }
  }

  async remove(session: string): Promise<boolean> {
    this.#mustBeOpen()
    const removed = await this.#patiently(() => removeSession(this.#connections, session, this.#now()))
    if (removed) this.#bury(session)
    return removed
  }

  async prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<number> {
    this.#mustBeOpen()
    const { before } = options
    if (options.dryRun === true) return await this.#patiently(() => countOld(this.#connections, before))
    let pruned = 0
    for (;;) {
      const old = await this.#patiently(() => findOld(this.#connections, before, PRUNED_AT_ONCE))
      for (const id of old) {
        const only = { idleBefore: before }
        const removed = await this.#patiently(() => removeSession(this.#connections, id, this.#now(), only))
        if (removed) this.#bury(id)
        pruned += removed ? 1 : 0
      }
      if (old.length < PRUNED_AT_ONCE) return pruned
    }
  }

  async stats(): Promise<StoreStats> {
    this.#mustBeOpen()
    return await this.#patiently(() => readStats(this.#connections))
  }

  /** Rejects with AppError('storage_error') at once when the database does not answer, or is a standby. */
  async lineage(): Promise<string> {
    this.#mustBeOpen()
    try {
      const lineage = await readLineage(this.#connections)
      if (this.#lineage !== undefined && lineage !== this.#lineage) this.#beginAnew()
      this.#lineage = lineage
      return lineage
    } catch (error) {
      throw toAppError(error)
    }
  }

  /** On the database's clock. */
  async isLeaseExpired(node: string): Promise<boolean> {
    this.#mustBeOpen()
    return await this.#patiently(() => isLeaseExpired(this.#connections, node))
  }

  async hasLiveNode(): Promise<boolean> {
    this.#mustBeOpen()
    return await this.#patiently(() => hasLiveNode(this.#connections))
  }

  /**
   * Drops cached tails: those of another history must neither be served to new readers nor hide this history's
   * events.
   */
  #beginAnew(): void {
    this.#tails.clear()
    this.#reader.forget()
    this.#channel.forget()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#appends.drained()
    this.#hints.clear()
    await Promise.all([this.#folder.stop(), this.#channel.close()])
    await this.#connections.close()
  }

  #bury(session: string): void {
    this.#forget(session)
    this.#hints.send(session, 0)
    this.#channel.tell([[session, 0]])
  }

  /** Another node moved a session. */
  #hear(session: string, head: Seq): void {
    // A live reader must not be served from a tail that is behind its hint.
    if (session === '*') {
      this.#tails.clear()
      this.#reader.forget()
    } else if (head === 0) this.#forget(session)
    else this.#tails.dropBehind(session, head)
    this.#hints.send(session, head)
  }

  #forget(session: string): void {
    this.#tails.drop(session)
    this.#reader.drop(session)
  }

  #publish(committed: readonly PostgresCommit[]): void {
    for (const { id, records, size } of committed) this.#tails.push(id, records, size)
    this.#channel.tell(committed.map(({ id, head }) => [id, head] as const))
    for (const { id, num, head, records } of committed) {
      this.#hints.send(id, head)
      const end = records.findLast(rec => ENDS_MESSAGE.has(rec.ev.type))
      if (end) this.#folder.fold(num, end.seq)
    }
  }

  #mustBeOpen(): void {
    if (this.#closing) throw new AppError('shutting_down', 'The store is closed.')
  }
}
