/** Says which history a file holds, from outside of a server. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreOpenError } from '../store-errors.ts'
import { acquireLock } from './lock-file.ts'
import { renewRestoredAt } from './restored-at.ts'

/**
 * Marks the data in this directory as restored from a backup, so that earlier cursors are rejected. Throws
 * StoreLockedError while a server uses it, StoreOpenError without data.
 */
export function renewSqliteLineage(dir: string): void {
  const file = resolve(join(dir, 'toolwire.db'))
  if (!existsSync(file)) throw new StoreOpenError('store_unwritable', file, 'There is no database')
  const lock = acquireLock(`${file}.lock`)
  try {
    const db = new DatabaseSync(file, { timeout: 5000 })
    renewRestoredAt(db)
    db.close()
  } finally {
    lock.release()
  }
}
