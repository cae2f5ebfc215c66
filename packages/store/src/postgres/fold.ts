/**
 * Folding: the many small rows of an ended message become few packed ones over the same seqs.
 * Background work of the node that wrote the end; when it fails, the rows stay as they are.
 */
import type { Seq, SessionEvent } from '@toolwire/core'
import type pg from 'pg'
import { type FoldableRow, MAX_EVENTS, takeGroup } from '../fold-group.ts'
import { packEvents } from '../pack.ts'
import type { Connections } from './connections.ts'

export interface PostgresFolder {
  /** Everything of the session up to `upTo` may be folded when there is time. */
  readonly fold: (num: number, upTo: Seq) => void
  /** Starts nothing more; resolves when the current step has ended. */
  readonly stop: () => Promise<void>
}

/** Messages that end within this time are folded together. */
const DELAY_MS = 200

export function createFolder(connections: Connections): PostgresFolder {
  const waiting = new Map<number, Seq>()
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let stopped = false

  async function work(): Promise<void> {
    for (const [num, upTo] of waiting) {
      waiting.delete(num)
      try {
        while (!stopped && (await foldStep(connections, num, upTo)));
      } catch {
        // The next message of the session takes these rows with it.
      }
      if (stopped) return
    }
  }
  function start(): void {
    timer = undefined
    if (working) {
      timer = setTimeout(start, DELAY_MS)
      return
    }
    working = work().finally(() => {
      working = undefined
    })
  }
  return {
    fold(num, upTo) {
      if (stopped) return
      waiting.set(num, upTo)
      timer ??= setTimeout(start, DELAY_MS)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }
}

/** Folds one packed row's worth. False when nothing is left to fold. */
async function foldStep(connections: Connections, num: number, upTo: Seq): Promise<boolean> {
  const client = await connections.readers.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    await lockSession(client, num)
    const more = await foldRows(client, num, upTo)
    await client.query('commit')
    return more
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw failure
  } finally {
    // A connection that failed inside a transaction is not reused.
    client.release(failure)
  }
}

/**
 * Folding and removing a session exclude each other; appends run beside both. Held until the transaction ends; the
 * server ends it if this process is suspended.
 */
export async function lockSession(client: pg.ClientBase, num: number): Promise<void> {
  await client.query("set local idle_in_transaction_session_timeout = '5s'")
  await client.query("select pg_advisory_xact_lock(hashtextextended('toolwire.chunk', $1))", [num])
}

async function foldRows(client: pg.ClientBase, num: number, upTo: Seq): Promise<boolean> {
  const { rows } = await client.query<FoldableRow>(
    `select seq, n, epoch, convert_from(data, 'UTF8') as json from toolwire.chunk
     where session = $1 and not packed and seq + n - 1 <= $2 order by seq limit $3`,
    [num, upTo, MAX_EVENTS],
  )
  const group = takeGroup(rows)
  const [first] = group
  if (!first) return false
  const events = group.flatMap(row => JSON.parse(row.json) as SessionEvent[])
  await client.query('delete from toolwire.chunk where session = $1 and seq = any($2::bigint[])', [
    num,
    group.map(row => row.seq),
  ])
  await client.query(
    'insert into toolwire.chunk(session, seq, n, epoch, packed, data) values($1, $2, $3, $4, true, $5)',
    [num, first.seq, events.length, first.epoch, Buffer.from(packEvents(events))],
  )
  return group.length < rows.length
}
