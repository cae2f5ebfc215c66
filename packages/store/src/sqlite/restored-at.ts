/**
 * The start of the file's history, as its `application_id`: it is copied with the file and needs no table read.
 */
import type { DatabaseSync } from 'node:sqlite'

/** Seconds since 1970; 0 for data that never lost their history. */
export const readRestoredAt = (db: DatabaseSync): number =>
  Number(db.prepare('pragma application_id').get()?.['application_id'])

/** Starts a new history now; two within a second differ as well. */
export function renewRestoredAt(db: DatabaseSync): void {
  const at = Math.max(Math.floor(Date.now() / 1000), readRestoredAt(db) + 1)
  db.exec(`pragma application_id = ${at}`)
}
