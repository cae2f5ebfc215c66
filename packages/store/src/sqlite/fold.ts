/**
 * Folding: the many small rows of an ended message become few packed ones over the same seqs.
 * One transaction per step, so a reader sees the rows of before or of after, never both.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Seq, SessionEvent } from '@toolwire/core'
import { packEvents } from '../pack.ts'

/** Bounds of one packed row: a reader that needs one event unpacks the whole row. */
const MAX_EVENTS = 2000
const MAX_CHARACTERS = 500_000

interface Row {
  readonly rowid: number
  readonly seq: number
  readonly n: number
  readonly epoch: number
  readonly data: string
}

export interface Folder {
  /** Folds one packed row's worth of rows that end at or before `upTo`. False when nothing is left to fold. */
  readonly step: (session: number, upTo: Seq) => boolean
}

/** Uses the writer's connection, outside of any transaction. `step` throws what SQLite throws, having changed nothing. */
export function createFolder(db: DatabaseSync): Folder {
  const unfolded = db.prepare(
    `select rowid, seq, n, epoch, data from chunk
     where session = ? and seq + n - 1 <= ? and typeof(data) = 'text' order by seq limit ?`,
  )
  const remove = db.prepare('delete from chunk where rowid = ?')
  const insert = db.prepare('insert into chunk(session, seq, n, epoch, w, data) values(?, ?, ?, ?, null, ?)')

  function step(session: number, upTo: Seq): boolean {
    const rows = takeGroup(unfolded.all(session, upTo, MAX_EVENTS) as unknown as readonly Row[])
    const [first] = rows
    if (!first) return false
    const events = rows.flatMap(row => JSON.parse(row.data) as SessionEvent[])
    const packed = packEvents(events)
    db.exec('begin immediate')
    try {
      for (const row of rows) remove.run(row.rowid)
      insert.run(session, first.seq, events.length, first.epoch, packed)
      db.exec('commit')
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
    return true
  }
  return { step }
}

/** The first rows that may share one: no gap between them, one epoch, within the bounds. */
function takeGroup(rows: readonly Row[]): readonly Row[] {
  const group: Row[] = []
  let events = 0
  let characters = 0
  for (const row of rows) {
    const last = group.at(-1)
    events += row.n
    characters += row.data.length
    if (last && (last.seq + last.n !== row.seq || last.epoch !== row.epoch)) break
    if (last && (events > MAX_EVENTS || characters > MAX_CHARACTERS)) break
    group.push(row)
  }
  return group
}
