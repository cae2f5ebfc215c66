/**
 * Folding: the many small rows of an ended message become few packed ones over the same seqs.
 * One transaction per step, so a reader sees the rows of before or of after, never both. It waits for no disk:
 * a step that is lost with the power leaves the rows as they were.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Seq, SessionEvent } from '@toolwire/core'
import { type FoldableRow, MAX_EVENTS, takeGroup } from '../fold-group.ts'
import { packEvents } from '../pack.ts'
import type { Writer } from './writer.ts'

interface PackedRow extends FoldableRow {
  readonly rowid: number
}

export interface SqliteFolder {
  /** Folds one packed row's worth of rows that end at or before `upTo`. False when nothing is left to fold. */
  readonly step: (session: number, upTo: Seq) => boolean
}

/** Uses the writer's connection, outside of any transaction. `step` throws what SQLite throws, having changed nothing. */
export function createFolder(db: DatabaseSync, transact: Writer['transact']): SqliteFolder {
  const unfolded = db.prepare(
    `select rowid, seq, n, epoch, data as json from chunk
     where session = ? and seq + n - 1 <= ? and typeof(data) = 'text' order by seq limit ?`,
  )
  const remove = db.prepare('delete from chunk where rowid = ?')
  const insert = db.prepare('insert into chunk(session, seq, n, epoch, w, data) values(?, ?, ?, ?, null, ?)')

  function step(session: number, upTo: Seq): boolean {
    const rows = takeGroup(unfolded.all(session, upTo, MAX_EVENTS) as unknown as readonly PackedRow[])
    const [first] = rows
    if (!first) return false
    const events = rows.flatMap(row => JSON.parse(row.json) as SessionEvent[])
    const packed = packEvents(events)
    transact(false, () => {
      for (const row of rows) remove.run(row.rowid)
      insert.run(session, first.seq, events.length, first.epoch, packed)
    })
    return true
  }
  return { step }
}
