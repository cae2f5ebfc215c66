/**
 * The store port over SQLite for one process: judgement and hints here, writes in a thread,
 * reads from the tail in memory or through a second connection.
 */
import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  AppError,
  type Append,
  type AppendResult,
  type CheckpointStore,
  type ClaimedSession,
  type ListQuery,
  type Page,
  type Rec,
  type Seq,
  type SessionRow,
  type Store,
  type StoreStats,
} from '@toolwire/core'
import { takeOver } from '../append-rules.ts'
import { createHints } from '../hints.ts'
import { createTailCache } from '../tail-cache.ts'
import type { CommitResult } from './batch.ts'
import { checkIntegrity, type IntegrityCheck } from './check-integrity.ts'
import type { createCheckpointReader } from './checkpoint-file.ts'
import { applyDeferred, canApplyDeferred, type DeferredClaims } from './deferred.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import type { SessionLister } from './list-sessions.ts'
import type { PreviewFile } from './preview-file.ts'
import type { Live, Reader, SessionKey } from './reader.ts'
import type { RowSlice } from './record-reader.ts'
import type { SessionCache } from './session-cache.ts'
import type { StatementClient } from './statement-client.ts'
import { createStatistics, type Statistics } from './statistics.ts'
import type { UnflushedPreviews } from './unsettled.ts'
import type { WriterClient } from './writer-client.ts'

export interface SqliteStoreParts {
  readonly file: string
  readonly reader: Reader
  readonly lister: SessionLister
  readonly writer: WriterClient
  readonly cache: SessionCache
  readonly unsettled: UnflushedPreviews
  readonly deferred: DeferredClaims
  readonly previews: PreviewFile
  readonly checkpointReader: ReturnType<typeof createCheckpointReader>
  /** Runs what reads much. */
  readonly thread: StatementClient
  /** The check that was started with the store. */
  readonly check: Pick<IntegrityCheck, 'stop'> | undefined
  readonly maxBytes: number | undefined
  readonly now: () => number
  /** Called once everything is closed. */
  readonly onClosed: () => void
}

/** After one of these a message has ended: nothing before it is streamed any more. */
const ENDS_MESSAGE: ReadonlySet<string> = new Set(['turn.completed', 'message.aborted'])
/** Sessions removed in one transaction, so that a large pruning lets appends in between. */
const REMOVED_AT_ONCE = 50

export class SqliteStore implements Store {
  readonly checkpoints: CheckpointStore
  readonly #parts: SqliteStoreParts
  readonly #commits: GroupCommit
  readonly #statistics: Statistics
  readonly #tails = createTailCache()
  readonly #hints = createHints()
  #closing: Promise<void> | undefined

  constructor(parts: SqliteStoreParts) {
    this.#parts = parts
    this.#commits = createGroupCommit({ ...parts, publish: committed => this.#publish(committed) })
    this.checkpoints = this.#toCheckpoints()
    this.#statistics = createStatistics(parts.reader.db, parts.thread)
  }

  append(writes: readonly Append[]): Promise<readonly AppendResult[]> {
    // Not async: a promise more for every preview would be the dearest part of it.
    if (this.#closing) return Promise.reject(closed())
    return this.#commits.append(writes, this.#parts.now())
  }

  peek(session: string, after: Seq, max: number): readonly Rec[] | undefined {
    return this.#closing ? undefined : this.#tails.read(session, after, max)
  }

  async read(session: string, after: Seq, max: number): Promise<readonly Rec[]> {
    this.#mustBeOpen()
    const live = this.#tails.read(session, after, max)
    if (live) return live
    const records: Rec[] = []
    for (;;) {
      const position = records.at(-1)?.seq ?? Math.max(0, after)
      const slice = this.#readSlice(session, position, max - records.length)
      if (!slice) return records
      if (slice.isLarge) await nextTurn()
      for (const record of slice.toRecords()) records.push(record)
      // A full page is one of many: readers of a long log let other work run in between.
      if (slice.isPartial || (records.length === max && max > 1)) await nextTurn()
      if (!slice.isPartial) return records
      this.#mustBeOpen()
    }
  }

  #readSlice(session: string, after: Seq, max: number): RowSlice | undefined {
    const { cache, reader, unsettled } = this.#parts
    const num = cache.numOf(session)
    if (num === undefined) return undefined
    return reader.readRows({ num, after, max, unsettled: unsettled.of(session) })
  }

  async claim(request: Parameters<Store['claim']>[0]): Promise<readonly ClaimedSession[]> {
    this.#mustBeOpen()
    const now = this.#parts.now()
    const { node, max, session } = request
    if (session !== undefined)
      return await this.#commits.next(session, () => this.#take([session].slice(0, max), node, now))
    await this.#commits.tell()
    return await this.#commits.alone(async () =>
      this.#take(this.#parts.reader.findWork(node, now, max), node, now),
    )
  }

  async watch(hint: (session: string, head: Seq) => void): Promise<() => void> {
    this.#mustBeOpen()
    return this.#hints.add(hint)
  }

  async list(query: ListQuery): Promise<Page<SessionRow>> {
    this.#mustBeOpen()
    const { lister, unsettled, deferred } = this.#parts
    if (!canApplyDeferred(deferred, query)) await this.#commits.tell()
    const page = await lister.list(query)
    const toCurrent = (row: SessionRow): SessionRow => {
      const told = applyDeferred(row, deferred.of(row.id))
      return { ...told, head: Math.max(told.head, unsettled.headOf(row.id) ?? 0) }
    }
    return { ...page, items: page.items.map(toCurrent) }
  }

  async remove(session: string): Promise<boolean> {
    this.#mustBeOpen()
    return this.#commits.alone(async () => {
      const live = this.#parts.cache.find(session)
      if (typeof live === 'string') return false
      await this.#bury([live])
      return true
    })
  }

  async prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<number> {
    this.#mustBeOpen()
    await this.#commits.tell()
    if (options.dryRun === true) return await this.#statistics.countOld(options.before)
    let pruned = 0
    for (;;) {
      const removed = await this.#commits.alone(async () => {
        const old = this.#parts.reader.findOld(options.before, REMOVED_AT_ONCE)
        if (old.length > 0) await this.#bury(old)
        return old.length
      })
      pruned += removed
      if (removed < REMOVED_AT_ONCE) return pruned
    }
  }

  async stats(): Promise<StoreStats> {
    this.#mustBeOpen()
    const { file } = this.#parts
    await this.#commits.alone(() => this.#commits.settle())
    return { ...this.#statistics.stats(), bytes: sizeOf(file) + sizeOf(`${file}-wal`) }
  }

  async checkIntegrity(): Promise<string | undefined> {
    this.#mustBeOpen()
    return await checkIntegrity(this.#parts.file).result
  }

  async lineage(): Promise<string> {
    this.#mustBeOpen()
    const restored = this.#parts.reader.restoredAt()
    return restored === 0 ? '' : String(restored)
  }

  close(): Promise<void> {
    this.#closing ??= this.#commits.alone(async () => {
      const { reader, writer, previews, checkpointReader, thread, check, onClosed } = this.#parts
      this.#hints.clear()
      // Entries that cannot be copied stay in their file for the next start.
      const settled = await this.#commits.settle().then(
        () => true,
        () => false,
      )
      previews.close(settled)
      await Promise.all([thread.close(), check?.stop()])
      // The readers go first: the last connection to close empties the log into the database.
      reader.close()
      checkpointReader.close()
      try {
        await writer.request({ type: 'close' })
      } finally {
        onClosed()
      }
    })
    return this.#closing
  }

  /** An epoch matters only to what is written under it, and the first fact of that brings both to disk. */
  #take(ids: readonly string[], node: string, now: number): readonly ClaimedSession[] {
    const found = ids.map(id => this.#parts.cache.find(id))
    const free = found.filter((live): live is Live => typeof live !== 'string' && live.owner !== node)
    for (const live of free) {
      takeOver(live, node, now)
      this.#parts.deferred.put(live)
    }
    return free.map(({ id, epoch, head }) => ({ session: id, epoch, head }))
  }

  async #bury(sessions: readonly SessionKey[]): Promise<void> {
    const keys = sessions.map(({ num, id }) => ({ num, id }))
    await this.#parts.writer.request({ type: 'remove', sessions: keys, at: this.#parts.now() })
    for (const { id } of keys) {
      this.#parts.cache.drop(id)
      this.#parts.unsettled.drop(id)
      this.#parts.deferred.drop(id)
      this.#tails.drop(id)
      this.#hints.send(id, 0)
    }
  }

  #publish(committed: readonly CommitResult[]): void {
    for (const { id, records, size } of committed) this.#tails.push(id, records, size)
    for (const { id, head, num, records } of committed) {
      this.#hints.send(id, head)
      const end = records.findLast(rec => ENDS_MESSAGE.has(rec.ev.type))
      if (end) this.#parts.writer.fold({ type: 'fold', session: num, upTo: end.seq })
    }
  }

  #toCheckpoints(): CheckpointStore {
    const { checkpointReader, writer } = this.#parts
    const put = (session: string, seq: Seq, data: Uint8Array | undefined): void => {
      if (!this.#closing) writer.checkpoint({ type: 'checkpoint', session, seq, data })
    }
    return {
      load: async session => (this.#closing ? undefined : checkpointReader.load(session)),
      save: async (session, seq, data) => put(session, seq, data),
      async remove(sessions) {
        for (const session of sessions) put(session, 0, undefined)
      },
    }
  }

  #mustBeOpen(): void {
    if (this.#closing) throw closed()
  }
}

const closed = (): AppError => new AppError('shutting_down', 'The store is closed.')

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
