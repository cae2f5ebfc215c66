/**
 * Settling when the database is opened: previews that a process left in its preview files when it was
 * killed, or in `recent` as earlier versions did, become rows of `chunk`.
 */
import type { DatabaseSync } from 'node:sqlite'
import { joinEntries } from './join-entries.ts'
import type { NamedEntry } from './preview-file.ts'
import { decodeRecent } from './recent.ts'

/**
 * Stores what is not stored yet. Must run inside a transaction. What does not follow on the session's end is
 * left out: it is there already, or the power went before what comes in between reached the disk.
 */
export function settlePreviews(db: DatabaseSync, left: readonly NamedEntry[]): void {
  const insert = db.prepare('insert into chunk(session, seq, n, epoch, w, data) values(?, ?, ?, ?, ?, ?)')
  const rows = db.prepare('select data from recent order by flush').all()
  const numOf = db.prepare('select num from session where id = ?')
  const raise = db.prepare('update session set epoch = max(epoch, ?) where num = ?')
  const headOf = db.prepare('select seq + n as next from chunk where session = ? order by seq desc limit 1')
  db.exec('delete from recent')
  const old = rows.flatMap(row => decodeRecent(String(row['data'])))
  for (const [session, entries] of Map.groupBy(old, entry => entry.session))
    for (const { seq, n, epoch, w, json } of joinEntries(entries)) insert.run(session, seq, n, epoch, w, json)
  for (const [id, entries] of Map.groupBy(left, entry => entry.id)) {
    const num = numOf.get(id)?.['num']
    if (typeof num !== 'number') continue
    let next = Number(headOf.get(num)?.['next'] ?? 1)
    const missing = entries.filter(entry => {
      const isNext = entry.seq === next
      if (isNext) next += entry.n
      return isNext
    })
    for (const { seq, n, epoch, w, json } of joinEntries(missing)) {
      insert.run(num, seq, n, epoch, w, json)
      // A claim waits for no disk either: an epoch that was used is never given again.
      raise.run(epoch, num)
    }
  }
}
