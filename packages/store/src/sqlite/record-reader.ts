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

export interface SqliteRecordReader {
  /** Throws AppError('storage_error') when a row cannot be understood. */
  readonly readRecords: (query: RecordQuery) => readonly Rec[]
}

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

  function collect({ num, after, max, unsettled }: RecordQuery): readonly Rec[] {
    const records: Rec[] = []
    let end = after
    for (const row of chunks.iterate(num, after + 1) as Iterable<unknown> as Iterable<EventRow>) {
      addRecords(records, row, after, unpack)
      end = row.seq + row.n - 1
      if (records.length >= max) break
    }
    // Entries settled just now are in both.
    for (const { json: data, ...entry } of records.length < max ? unsettled : [])
      addRecords(records, { ...entry, data }, Math.max(after, end), unpack)
    return records.length > max ? records.slice(0, max) : records
  }

  return {
    readRecords(query) {
      if (query.max <= 0) return []
      try {
        return collect(query)
      } catch (error) {
        throw new AppError('storage_error', undefined, { cause: String(error) })
      }
    },
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
