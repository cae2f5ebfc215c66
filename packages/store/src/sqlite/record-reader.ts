/** Records of one session from `chunk` and, for a session that has any there, from `recent`. */
import type { DatabaseSync } from 'node:sqlite'
import { AppError, type Rec, type Seq, type SessionEvent } from '@toolwire/core'
import { unpackEvents } from '../pack.ts'
import { decodeRecent, type RecentEntry } from './recent.ts'

interface RecordQuery {
  readonly num: number
  readonly after: Seq
  readonly max: number
  /** Whether `recent` may hold something of the session. */
  readonly alsoRecent: boolean
}

export interface RecordReader {
  /** Throws AppError('storage_error') when a row cannot be understood. */
  readonly readRecords: (query: RecordQuery) => readonly Rec[]
  /** The last entry of a session in `recent`. */
  readonly lastRecent: (num: number) => RecentEntry | undefined
}

interface Row {
  readonly seq: number
  readonly n: number
  readonly epoch: number
  readonly data: string | Uint8Array
}

export function createRecordReader(db: DatabaseSync): RecordReader {
  const chunks = db.prepare(
    `select seq, n, epoch, data from chunk
     where session = ?1 and seq >= coalesce((select max(seq) from chunk where session = ?1 and seq <= ?2), 0)
     order by seq`,
  )
  const recent = db.prepare('select data from recent order by flush')

  function recentRows(num: number, after: Seq): readonly Row[] {
    return recentEntries(num)
      .filter(entry => entry.seq + entry.n - 1 > after)
      .map(({ seq, n, epoch, json }) => ({ seq, n, epoch, data: json }))
  }
  function recentEntries(num: number): readonly RecentEntry[] {
    return recent.all().flatMap(row => decodeRecent(String(row['data']), num))
  }
  function collect({ num, after, max, alsoRecent }: RecordQuery): readonly Rec[] {
    const records: Rec[] = []
    const waiting = alsoRecent ? [...recentRows(num, after)] : []
    for (const row of chunks.iterate(num, after + 1) as Iterable<unknown> as Iterable<Row>) {
      for (let next = waiting[0]; next && next.seq < row.seq; next = waiting[0]) {
        addRecords(records, next, after)
        waiting.shift()
      }
      addRecords(records, row, after)
      if (records.length >= max) break
    }
    for (const row of waiting) addRecords(records, row, after)
    return records.length > max ? records.slice(0, max) : records
  }

  return {
    readRecords(query) {
      if (query.max <= 0) return []
      try {
        // Both tables must be seen at one moment, or settling in between would show an event twice or not at all.
        return query.alsoRecent ? inSnapshot(db, () => collect(query)) : collect(query)
      } catch (error) {
        throw new AppError('storage_error', undefined, { cause: String(error) })
      }
    },
    lastRecent: num => recentEntries(num).at(-1),
  }
}

function inSnapshot<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin')
  try {
    return work()
  } finally {
    db.exec('rollback')
  }
}

function addRecords(records: Rec[], row: Row, after: Seq): void {
  if (row.seq + row.n - 1 <= after) return
  const { epoch, data } = row
  const events: readonly SessionEvent[] =
    typeof data === 'string' ? (JSON.parse(data) as SessionEvent[]) : unpackEvents(data)
  // Fewer would be a gap, more would be another row's: neither may pass for the log.
  if (!isWhole(events, row.n)) throw new Error(`The row at ${row.seq} does not hold its ${row.n} events.`)
  for (let i = Math.max(0, after + 1 - row.seq); i < events.length; i++) {
    const ev = events[i]
    if (ev) records.push({ seq: row.seq + i, epoch, ev })
  }
}

const isWhole = (events: unknown, n: number): boolean =>
  Array.isArray(events) && events.length === n && events.every(ev => typeof ev === 'object' && ev !== null)
