/**
 * Records from the database. What was read a moment ago is not asked for again; reads that are asked for at the same
 * time share one statement, and those of one session the rows: a node whose watchers follow a thousand sessions of other nodes
 * asks in a few round trips. Rows come as text: the driver reads every answer as text, bytes would be spoiled. Records are
 * shared by those who read them.
 */
import { AppError, type Rec, type Seq, type SessionEvent } from '@toolwire/core'
import { unpackEvents } from '../pack.ts'
import { isWhole } from '../whole-row.ts'
import type { Connections } from './connections.ts'
import { type JoinedRange, joinReads, type Range } from './join-reads.ts'
import { toPgText } from './pg-text.ts'
import type { RetryFunction } from './retry.ts'
import { createRowMemory } from './row-memory.ts'

export interface PostgresRecordReader {
  /**
   * Everything that was committed before the call, at most `max`; when `max` are remembered, without a look whether the
   * session is still there. Rejects with AppError('storage_error') when the database stays away or a row cannot be understood.
   */
  readonly read: (session: string, after: Seq, max: number) => Promise<readonly Rec[]>
  /** Drops cached rows of a removed session. */
  readonly drop: (session: string) => void
  /** Drops all cached rows: the history may have changed. */
  readonly forget: () => void
}

/** The part of a request that is still to be read. */
interface PendingRead extends Range {
  /** The cached part. */
  readonly known: readonly Rec[]
  readonly resolve: (records: readonly Rec[]) => void
  readonly reject: (error: unknown) => void
}

/** Without a `seq`: the session is there, and has nothing more. */
type RowTuple = readonly [
  ord: number,
  seq: number | null,
  n: number,
  epoch: number,
  packed: boolean,
  data: string,
]

/** Sequence numbers have no gaps, so the rows that hold what is asked for start at or before its last event. */
const READ = `
select r.ord, c.seq, c.n, c.epoch, c.packed,
  case when c.packed then encode(c.data, 'base64') else convert_from(c.data, 'UTF8') end
from unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) as r(ord, id, after, upto)
join toolwire.session s on s.id = r.id and s.deleted_at is null
left join lateral (
  select c.seq, c.n, c.epoch, c.packed, c.data from toolwire.chunk c
  where c.session = s.num and c.seq <= r.upto and c.seq >= coalesce(
    (select f.seq from toolwire.chunk f where f.session = s.num and f.seq <= r.after + 1 order by f.seq desc limit 1), 0)
  order by c.seq
) c on true`

const MAX_READS = 200
/** Concurrent statements; one connection stays free for lists. */
const LANES = 2

export function createRecordReader(connections: Connections, patiently: RetryFunction): PostgresRecordReader {
  const memory = createRowMemory()
  /** Increases with every invalidation: rows requested before it are not cached. */
  let era = 0
  let queue: PendingRead[] = []
  let busy = 0

  function pump(): void {
    while (busy < LANES && queue.length > 0) {
      // Queued reads may find that another read has fetched their rows.
      const joined = joinReads(queue.flatMap(recall))
      const batch = joined.slice(0, MAX_READS)
      queue = joined.slice(MAX_READS).flatMap(range => range.parts)
      if (batch.length === 0) return
      busy += 1
      void answer(batch).finally(() => {
        busy -= 1
        pump()
      })
    }
  }
  function recall(asked: PendingRead): readonly PendingRead[] {
    const { session, after, upTo, known } = asked
    const more = memory.read(session, after, upTo - after)
    if (more.length < upTo - after)
      return [{ ...asked, after: after + more.length, known: [...known, ...more] }]
    asked.resolve([...known, ...more])
    return []
  }
  async function answer(batch: readonly JoinedRange<PendingRead>[]): Promise<void> {
    const begun = era
    try {
      const rows = Map.groupBy(await patiently(() => readAll(batch)), row => row[0])
      const keep = begun === era ? memory.keep : () => {}
      for (const [ord, range] of batch.entries()) give(range, rows.get(ord), keep)
    } catch (error) {
      // A row that the server itself cannot read fails the whole statement: the others are asked for by themselves.
      if (batch.length > 1 && isUnreadable(error)) for (const one of batch) await answer([one])
      else refuse(batch, error)
    }
  }
  async function readAll(batch: readonly Range[]): Promise<readonly RowTuple[]> {
    const { rows } = await connections.readers.query({
      name: connections.named('toolwire-read'),
      text: READ,
      values: [
        batch.map((_, ord) => ord),
        batch.map(asked => toPgText(asked.session)),
        batch.map(asked => asked.after),
        batch.map(asked => asked.upTo),
      ],
      rowMode: 'array',
    })
    return rows as unknown as readonly RowTuple[]
  }

  return {
    async read(session, after, max) {
      const known = memory.read(session, after, max)
      if (known.length === max) return known
      return await new Promise((resolve, reject) => {
        queue.push({ session, after: after + known.length, upTo: after + max, known, resolve, reject })
        // After this turn of the event loop, so that reads of the same moment share a statement.
        if (queue.length === 1) setImmediate(pump)
      })
    },
    drop(session) {
      era += 1
      memory.drop(session)
    },
    forget() {
      era += 1
      memory.clear()
    },
  }
}

type Keep = (session: string, records: readonly Rec[], size: number) => void

/** A damaged row fails the readers of its session only. */
function give(range: JoinedRange<PendingRead>, rows: readonly RowTuple[] | undefined, keep: Keep): void {
  try {
    const found = rows?.flatMap(row => recordsOf(row, (records, size) => keep(range.session, records, size)))
    for (const part of range.parts) part.resolve(cutOut(part, found))
  } catch (error) {
    refuse([range], error)
  }
}

/** SQLSTATE class 22: a value that is not what it should be. */
const isUnreadable = (error: unknown): boolean =>
  AppError.is(error) &&
  String((error.details as { sqlstate?: unknown } | undefined)?.sqlstate).startsWith('22')

function refuse(batch: readonly JoinedRange<PendingRead>[], error: unknown): void {
  const refusal = AppError.is(error)
    ? error
    : new AppError('storage_error', undefined, { cause: String(error) })
  for (const { parts } of batch) for (const part of parts) part.reject(refusal)
}

/** Overhead of an event beside its text; packed events share all but that. */
const EVENT = 200
const INFLATED = 4

/** The records of a row, which are offered to `keep` with a measure of their memory. Throws when it cannot be understood. */
function recordsOf(
  [, seq, n, epoch, packed, data]: RowTuple,
  keep: (records: readonly Rec[], size: number) => void,
): readonly Rec[] {
  if (seq === null) return []
  const events = packed
    ? unpackEvents(Buffer.from(data, 'base64'))
    : (JSON.parse(data) as readonly SessionEvent[])
  // Fewer would be a gap, more would be another row's: neither may pass for the log.
  if (!isWhole(events, n)) throw new Error(`The row at ${seq} does not hold its ${n} events.`)
  const records = events.map((ev, i) => ({ seq: seq + i, epoch, ev }))
  keep(records, packed ? data.length * INFLATED + records.length * EVENT : data.length)
  return records
}

/** Extracts the requested records from the joined result; none for a missing session. */
function cutOut({ known, after, upTo }: PendingRead, found: readonly Rec[] | undefined): readonly Rec[] {
  if (!found) return []
  const skipped = after + 1 - (found[0]?.seq ?? after + 1)
  const rest = found.slice(Math.max(0, skipped), Math.max(0, skipped + upTo - after))
  return known.length === 0 ? rest : [...known, ...rest]
}
