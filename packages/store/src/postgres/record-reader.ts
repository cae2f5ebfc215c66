/**
 * Records from the database. Reads that are asked for at the same time share one statement: a
 * node whose watchers follow a thousand sessions of other nodes asks in a few round trips. Rows come
 * as text: the driver reads every answer as text, bytes would be spoiled. Records are shared by those who read them.
 */
import { AppError, type Rec, type Seq } from '@toolwire/core'
import type { Connections } from './connections.ts'
import type { Patiently } from './patience.ts'
import { toPgText } from './pg-text.ts'
import { createRowMemory, type RowMemory } from './row-memory.ts'

export interface RecordReader {
  /** Rejects with AppError('storage_error') when the database stays away or a row cannot be understood. */
  readonly read: (session: string, after: Seq, max: number) => Promise<readonly Rec[]>
}

interface Asked {
  readonly session: string
  readonly after: Seq
  readonly max: number
  readonly resolve: (records: readonly Rec[]) => void
  readonly reject: (error: unknown) => void
}

type Row = readonly [ord: number, seq: number, n: number, epoch: number, packed: boolean, data: string]

/** Sequence numbers have no gaps, so the rows that hold what is asked for start at or before its last event. */
const READ = `
select r.ord, c.seq, c.n, c.epoch, c.packed,
  case when c.packed then encode(c.data, 'base64') else convert_from(c.data, 'UTF8') end
from unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) as r(ord, id, after, upto)
join toolwire.session s on s.id = r.id
cross join lateral (
  select c.seq, c.n, c.epoch, c.packed, c.data from toolwire.chunk c
  where c.session = s.num and c.seq <= r.upto and c.seq >= coalesce(
    (select f.seq from toolwire.chunk f where f.session = s.num and f.seq <= r.after + 1 order by f.seq desc limit 1), 0)
  order by c.seq
) c`

const MAX_READS = 200
/** Statements under way at once; one connection stays free for lists. */
const LANES = 2

export function createRecordReader(connections: Connections, patiently: Patiently): RecordReader {
  const memory = createRowMemory()
  let queue: Asked[] = []
  let busy = 0

  function pump(): void {
    while (busy < LANES && queue.length > 0) {
      const batch = queue.slice(0, MAX_READS)
      queue = queue.slice(batch.length)
      busy += 1
      void answer(batch).finally(() => {
        busy -= 1
        pump()
      })
    }
  }
  async function answer(batch: readonly Asked[]): Promise<void> {
    try {
      const rows = await patiently(() => readAll(batch))
      const records = batch.map((): Rec[] => [])
      for (const row of rows) addRecords(memory, records[row[0]], batch[row[0]], row)
      for (const [i, asked] of batch.entries()) asked.resolve(records[i] ?? [])
    } catch (error) {
      const refusal = AppError.is(error)
        ? error
        : new AppError('storage_error', undefined, { cause: String(error) })
      for (const asked of batch) asked.reject(refusal)
    }
  }
  async function readAll(batch: readonly Asked[]): Promise<readonly Row[]> {
    const { rows } = await connections.readers.query({
      name: connections.named('toolwire-read'),
      text: READ,
      values: [
        batch.map((_, ord) => ord),
        batch.map(asked => toPgText(asked.session)),
        batch.map(asked => asked.after),
        batch.map(asked => asked.after + asked.max),
      ],
      rowMode: 'array',
    })
    return rows as unknown as readonly Row[]
  }

  return {
    read: (session, after, max) =>
      new Promise((resolve, reject) => {
        queue.push({ session, after, max, resolve, reject })
        // After this turn of the event loop, so that reads of the same moment share a statement.
        if (queue.length === 1) setImmediate(pump)
      }),
  }
}

function addRecords(memory: RowMemory, records: Rec[] | undefined, asked: Asked | undefined, row: Row): void {
  if (!records || !asked) return
  const [, seq, , epoch, packed, data] = row
  const events = memory.eventsOf(`${seq}:${asked.session}`, packed, data)
  const end = Math.min(events.length, asked.after + asked.max + 1 - seq)
  for (let i = Math.max(0, asked.after + 1 - seq); i < end; i++) {
    const ev = events[i]
    if (ev) records.push({ seq: seq + i, epoch, ev })
  }
}
