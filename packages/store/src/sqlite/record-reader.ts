/** Records of one session from `chunk` and, for a session that has any, from what is not settled yet. */
import type { DatabaseSync } from 'node:sqlite'
import { AppError, type Rec, type Seq, type SessionEvent } from '@toolwire/core'
import { unpackEvents } from '../pack.ts'
import { isWhole } from '../whole-row.ts'
import type { RecentEntry } from './recent.ts'

interface RecordQuery {
  readonly num: number
  readonly after: Seq
  readonly max: number
  /** The end of the session that may not be in the database, in order. */
  readonly unsettled: readonly RecentEntry[]
}

/** Rows as they were read. Reading and understanding them are apart, because each takes long for large rows. */
export interface RowSlice {
  readonly toRecords: () => readonly Rec[]
  /** Other work should run before `toRecords`. */
  readonly isLarge: boolean
  /** Rows are left that were not read because the ones before them are large. */
  readonly isPartial: boolean
}

export interface SqliteRecordReader {
  /** Reads at least one row, if there is one. Both functions throw AppError('storage_error') for rows that cannot be understood. */
  readonly readRows: (query: RecordQuery) => RowSlice
}

/** Characters of the rows that are read in one turn of the event loop. */
const MAX_AT_ONCE = 1_000_000
/** Packed rows that are read in one turn; each holds up to half a million characters, or one event. */
const MAX_PACKED = 2

interface EventRow {
  readonly seq: number
  readonly n: number
  readonly epoch: number
  readonly data: string | Uint8Array
}

export function createRecordReader(db: DatabaseSync): SqliteRecordReader {
  const chunks = db.prepare(
    `select seq, n, epoch, data from chunk
     where session = ?1 and seq >= coalesce((select max(seq) from chunk where session = ?1 and seq <= ?2), 0)
     order by seq`,
  )
  const unpack = rememberLast(toEvents)

  function collect({ num, after, max, unsettled }: RecordQuery): RowSlice {
    const found = chunks.iterate(num, after + 1) as Iterable<unknown> as Iterable<EventRow>
    const { rows, end, isLarge, isFull } = takeRows(found, after, max)
    // Rows that were settled a moment ago are in both.
    if (!isLarge && !isFull)
      for (const { json: data, ...entry } of unsettled) if (endOf(entry) > end) rows.push({ ...entry, data })
    return { toRecords: orFail(() => toRecords(rows, after, max)), isLarge, isPartial: isLarge && !isFull }
  }

  function toRecords(rows: readonly EventRow[], after: Seq, max: number): readonly Rec[] {
    const records: Rec[] = []
    for (const row of rows) addRecords(records, row, records.at(-1)?.seq ?? after, unpack)
    return records.length > max ? records.slice(0, max) : records
  }

  return { readRows: query => (query.max <= 0 ? NOTHING : orFail(() => collect(query))()) }
}

const endOf = ({ seq, n }: Pick<EventRow, 'seq' | 'n'>): Seq => seq + n - 1

/** The first rows after `after`, until they hold `max` events or are large. */
function takeRows(found: Iterable<EventRow>, after: Seq, max: number) {
  const rows: EventRow[] = []
  let end = after
  let size = 0
  for (const row of found) {
    if (endOf(row) <= after) continue
    rows.push(row)
    end = endOf(row)
    size += typeof row.data === 'string' ? row.data.length : MAX_AT_ONCE / MAX_PACKED
    if (size >= MAX_AT_ONCE || end - after >= max) break
  }
  return { rows, end, isLarge: size >= MAX_AT_ONCE, isFull: end - after >= max }
}

const NOTHING: RowSlice = { toRecords: () => [], isLarge: false, isPartial: false }

const orFail =
  <T>(work: () => T): (() => T) =>
  () => {
    try {
      return work()
    } catch (error) {
      throw new AppError('storage_error', undefined, { cause: String(error) })
    }
  }

type Unpack = (data: EventRow['data']) => readonly SessionEvent[]

const toEvents: Unpack = data =>
  typeof data === 'string' ? (JSON.parse(data) as SessionEvent[]) : unpackEvents(data)

/**
 * Readers of a long log in small pages meet the same row several times. Compared by content: a row may be
 * rewritten.
 */
function rememberLast(unpack: Unpack): Unpack {
  let last: { readonly data: EventRow['data']; readonly events: readonly SessionEvent[] } | undefined
  return data => {
    if (!last || !isSame(last.data, data)) last = { data, events: unpack(data) }
    return last.events
  }
}

const isSame = (a: EventRow['data'], b: EventRow['data']): boolean =>
  typeof a === 'string' || typeof b === 'string' ? a === b : Buffer.compare(a, b) === 0

function addRecords(records: Rec[], row: EventRow, after: Seq, unpack: Unpack): void {
  if (row.seq + row.n - 1 <= after) return
  const { epoch, data } = row
  const events = unpack(data)
  // Fewer would be a gap, more would be another row's: neither may pass for the log.
  if (!isWhole(events, row.n)) throw new Error(`The row at ${row.seq} does not hold its ${row.n} events.`)
  for (let i = Math.max(0, after + 1 - row.seq); i < events.length; i++) {
    const ev = events[i]
    if (ev) records.push({ seq: row.seq + i, epoch, ev })
  }
}
