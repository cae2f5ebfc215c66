/**
 * One process per data folder. The lock is an exclusive transaction on a small database beside
 * the data: the operating system drops it with the process, so nothing stale can remain.
 */
import { DatabaseSync } from 'node:sqlite'
import { createDatabaseFile } from '../private-files.ts'
import { StoreLockedError, StoreOpenError } from '../store-errors.ts'
import { errcodeOf } from './prepare-database.ts'

const BUSY = 5

export interface LockFile {
  /** Gives the lock up. Idempotent. */
  readonly release: () => void
}

/** Throws StoreLockedError when someone holds it, StoreOpenError when the file cannot be used. */
export function acquireLock(path: string): LockFile {
  let db: DatabaseSync | undefined
  try {
    createDatabaseFile(path)
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('begin exclusive')
  } catch (error) {
    if (db?.isOpen) db.close()
    if ((errcodeOf(error) & 0xff) === BUSY) throw new StoreLockedError(path)
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', path, `The lock file cannot be used: ${message}`)
  }
  const held = db
  return {
    release() {
      if (held.isOpen) held.close()
    },
  }
}
