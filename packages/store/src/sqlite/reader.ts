/**
 * Reads the database on the main thread through a separate read-only connection. Each call is one statement or a
 * few; a statement sees everything committed before it.
 */
import { DatabaseSync } from 'node:sqlite'
import type { Seq, SessionPhase } from '@toolwire/core'
import type { SessionHead } from '../append-rules.ts'
import { type DeferredStanding, laterOf } from './deferred.ts'
import type { RecentEntry } from './recent.ts'
import { createRecordReader, type SqliteRecordReader } from './record-reader.ts'
import { readRestoredAt } from './restored-at.ts'
import { withStorageErrors } from './storage-errors.ts'

/** A session's standing with the number its rows carry. */
export interface Live extends SessionHead {
  readonly num: number
  readonly id: string
}

export interface SessionKey {
  readonly num: number
  readonly id: string
}

export interface Reader extends Pick<SqliteRecordReader, 'readRows'> {
  readonly db: DatabaseSync
  /**
   * `last` is the session's latest write and `waiting` its claim or release; the database may lack both. Only
   * while no flush of the session is in flight.
   */
  readonly loadSession: (
    id: string,
    last: RecentEntry | undefined,
    waiting: DeferredStanding | undefined,
  ) => Live | undefined
  readonly numOf: (id: string) => number | undefined
  readonly isDeleted: (id: string) => boolean
  readonly seqOfKey: (num: number, key: string) => Seq | undefined

  /** Ids of sessions that run or are due, unowned or owned by another node; least recently updated first. */
  readonly findWork: (node: string, now: number, max: number) => readonly string[]
  /** Idle sessions, last updated before `before`; at most `max`. */
  readonly findOld: (before: number, max: number) => readonly SessionKey[]
  /** Bytes of the pages in use. */
  readonly usedBytes: () => number
  /** Time of the restore in seconds since 1970; 0 for never. */
  readonly restoredAt: () => number
  readonly close: () => void
}

/** Values: now, node, limit. */
export const FIND_WORK = `select id, updated_at from session where state = 'running' and (owner is null or owner <> ?2)
  union select id, updated_at from session where wake_at <= ?1 and (owner is null or owner <> ?2)
  order by updated_at, id limit ?3`
export const FIND_OLD =
  "select num, id from session where state = 'idle' and updated_at < ? order by updated_at limit ?"

/** The file must exist and be migrated. */
export function openReader(file: string): Reader {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const records = createRecordReader(db)
  const num = db.prepare('select num from session where id = ?')
  const tombstone = db.prepare('select 1 from tombstone where id = ?')
  const key = db.prepare('select seq from input_key where session = ? and key = ?')
  const work = db.prepare(FIND_WORK)
  const used = db.prepare(
    `select (p.page_count - f.freelist_count) * s.page_size as bytes
     from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`,
  )
  const old = db.prepare(FIND_OLD)

  return {
    db,
    loadSession: withStorageErrors(createSessionLoader(db)),
    numOf: withStorageErrors(id => toNumber(num.get(id)?.['num'])),
    isDeleted: withStorageErrors(id => tombstone.get(id) !== undefined),
    seqOfKey: withStorageErrors((session, text) => toNumber(key.get(session, text)?.['seq'])),
    readRows: records.readRows,
    findWork: withStorageErrors((node, now, max) => work.all(now, node, max).map(row => String(row['id']))),
    findOld: withStorageErrors((before, max) => old.all(before, max) as unknown as readonly SessionKey[]),
    usedBytes: () => Number(used.get()?.['bytes']),
    restoredAt: () => readRestoredAt(db),
    close: () => {
      if (db.isOpen) db.close()
    },
  }
}

const toNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

interface SessionColumns {
  readonly num: number
  readonly head: number
  readonly epoch: number
  readonly wseq: number
  readonly whead: number
  readonly owner: string | null
  readonly state: SessionPhase
  readonly wake_at: number | null
  readonly updated_at: number
}

function createSessionLoader(db: DatabaseSync): Reader['loadSession'] {
  const load = db.prepare(
    'select num, head, epoch, wseq, whead, owner, state, wake_at, updated_at from session where id = ?',
  )
  const lastChunk = db.prepare(
    'select seq + n - 1 as head, epoch, w from chunk where session = ? order by seq desc limit 1',
  )
  return (id, last, waiting) => {
    const row = load.get(id) as unknown as SessionColumns | undefined
    if (!row) return undefined
    const { num, head, epoch, wseq, whead, owner, state, wake_at: wakeAt, updated_at: updatedAt } = row
    const stored: Live = { num, id, head, epoch, wseq, whead, owner, state, wakeAt, updatedAt }
    const live = laterOf(stored, waiting)
    advance(live, lastChunk.get(num) as unknown as SessionTail | undefined)
    advance(live, last && { head: last.seq + last.n - 1, epoch: last.epoch, w: last.w })
    return live
  }
}

interface SessionTail {
  readonly head: Seq
  readonly epoch: number
  readonly w: number | null
}

/** Owners' previews do not update the session row: the last of them gives the head. */
function advance(live: Live, tail: SessionTail | undefined): void {
  if (!tail || tail.head <= live.head) return
  live.head = tail.head
  if (tail.epoch < live.epoch) return
  // A claim that its owner did not write before it died: its epoch is never used again.
  live.epoch = tail.epoch
  live.whead = tail.head
  live.wseq = tail.w ?? live.wseq
}
