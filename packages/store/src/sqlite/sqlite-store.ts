/**
 * The store port over SQLite for one process: judgement and hints here, writes in a thread,
 * reads from the tail in memory or through a second connection.
 */
import { statSync } from 'node:fs'
import {
  AppError,
  type Append,
  type Appended,
  type Claimed,
  type ListQuery,
  type Page,
  type Rec,
  type Seq,
  type SessionRow,
  type Store,
  type StoreStats,
} from '@toolwire/core'
import { createHints } from '../hints.ts'
import { takeOver } from '../judge.ts'
import { createTailCache } from '../tail-cache.ts'
import type { Committed } from './batch.ts'
import { bringUp, type Deferred, mayBringUp } from './deferred.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import type { SessionLister } from './list-sessions.ts'
import type { PreviewFile } from './preview-file.ts'
import type { Live, Reader, SessionKey } from './reader.ts'
import type { SessionCache } from './session-cache.ts'
import type { Unsettled } from './unsettled.ts'
import type { WriterClient } from './writer-client.ts'

export interface SqliteStoreParts {
  readonly file: string
  readonly reader: Reader
  readonly lister: SessionLister
  readonly writer: WriterClient
  readonly cache: SessionCache
  readonly unsettled: Unsettled
  readonly deferred: Deferred
  readonly previews: PreviewFile
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
  readonly #parts: SqliteStoreParts
  readonly #commits: GroupCommit
  readonly #tails = createTailCache()
  readonly #hints = createHints()
  #closing: Promise<void> | undefined

  constructor(parts: SqliteStoreParts) {
    this.#parts = parts
    this.#commits = createGroupCommit({ ...parts, publish: committed => this.#publish(committed) })
  }

  append(writes: readonly Append[]): Promise<readonly Appended[]> {
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
    const { cache, reader, unsettled } = this.#parts
    const num = cache.numOf(session)
    if (num === undefined) return []
    return reader.readRecords({ num, after: Math.max(0, after), max, unsettled: unsettled.of(session) })
  }

  async claim(request: Parameters<Store['claim']>[0]): Promise<readonly Claimed[]> {
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
    if (!mayBringUp(deferred, query)) await this.#commits.tell()
    const page = lister.list(query)
    const toCurrent = (row: SessionRow): SessionRow => {
      const told = bringUp(row, deferred.of(row.id))
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
    const find = (): readonly SessionKey[] => this.#parts.reader.findOld(options.before)
    await this.#commits.tell()
    if (options.dryRun === true) return this.#commits.alone(async () => find().length)
    let pruned = 0
    for (;;) {
      const removed = await this.#commits.alone(async () => {
        const old = find().slice(0, REMOVED_AT_ONCE)
        if (old.length > 0) await this.#bury(old)
        return old.length
      })
      pruned += removed
      if (removed < REMOVED_AT_ONCE) return pruned
    }
  }

  async stats(): Promise<StoreStats> {
    this.#mustBeOpen()
    const { file, reader } = this.#parts
    return this.#commits.alone(async () => {
      await this.#commits.settle()
      return { ...reader.stats(), bytes: sizeOf(file) + sizeOf(`${file}-wal`) }
    })
  }

  async lineage(): Promise<string> {
    this.#mustBeOpen()
    const restored = this.#parts.reader.restoredAt()
    return restored === 0 ? '' : String(restored)
  }

  close(): Promise<void> {
    this.#closing ??= this.#commits.alone(async () => {
      const { reader, writer, previews, onClosed } = this.#parts
      this.#hints.clear()
      // What cannot be copied stays in its file, and the next opening finds it there.
      const settled = await this.#commits.settle().then(
        () => true,
        () => false,
      )
      previews.close(settled)
      // The reader goes first: the last connection to close empties the log into the database.
      reader.close()
      try {
        await writer.request({ type: 'close' })
      } finally {
        onClosed()
      }
    })
    return this.#closing
  }

  /** An epoch matters only to what is written under it, and the first fact of that brings both to disk. */
  #take(ids: readonly string[], node: string, now: number): readonly Claimed[] {
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

  #publish(committed: readonly Committed[]): void {
    for (const { id, records, size } of committed) this.#tails.push(id, records, size)
    for (const { id, head, num, records } of committed) {
      this.#hints.send(id, head)
      const end = records.findLast(rec => ENDS_MESSAGE.has(rec.ev.type))
      if (end) this.#parts.writer.fold({ type: 'fold', session: num, upTo: end.seq })
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
