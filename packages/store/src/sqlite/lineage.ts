/** Which history a file holds: its `application_id` tells when it came out of a backup, and is copied with it. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreOpenError } from '../store-errors.ts'
import { acquireLock } from './lock-file.ts'

/** Seconds since 1970; 0 for data that were never restored. */
export const readRestoredAt = (db: DatabaseSync): number =>
  Number(db.prepare('pragma application_id').get()?.['application_id'])

/**
 * Says that the data in this folder came out of a backup: whoever has a place in the history before is told so.
 * Throws StoreLockedError while a server uses them, StoreOpenError when there are none.
 */
export function renewSqliteLineage(dir: string): void {
  const file = resolve(join(dir, 'toolwire.db'))
  if (!existsSync(file)) throw new StoreOpenError('store_unwritable', file, 'There is no database')
  const lock = acquireLock(`${file}.lock`)
  try {
    const db = new DatabaseSync(file, { timeout: 5000 })
    // Two restores within a second are told apart as well.
    const at = Math.max(Math.floor(Date.now() / 1000), readRestoredAt(db) + 1)
    db.exec(`pragma application_id = ${at}`)
    db.close()
  } finally {
    lock.release()
  }
}
