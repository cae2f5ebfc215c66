/**
 * When the history that a file holds began anew, as its `application_id`: that is copied with it, and no table has to
 * be read for it.
 */
import type { DatabaseSync } from 'node:sqlite'

/** Seconds since 1970; 0 for data that never lost their history. */
export const readRestoredAt = (db: DatabaseSync): number =>
  Number(db.prepare('pragma application_id').get()?.['application_id'])

/** Begins another history, now; two within a second are told apart as well. */
export function renewRestoredAt(db: DatabaseSync): void {
  const at = Math.max(Math.floor(Date.now() / 1000), readRestoredAt(db) + 1)
  db.exec(`pragma application_id = ${at}`)
}
