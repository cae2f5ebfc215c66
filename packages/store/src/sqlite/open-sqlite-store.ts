/** Opens the SQLite store: folder, lock, thread, second connection, in that order. */
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Store } from '@toolwire/core'
import { StoreOpenError } from '../store-errors.ts'
import { acquireLock } from './lock-file.ts'
import { openReader } from './reader.ts'
import { createSessionCache } from './session-cache.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { Unsettled } from './unsettled.ts'
import { startWriter } from './writer-client.ts'

export interface SqliteStoreOptions {
  /** Folder of the data, made when absent; the database is `toolwire.db` in it. */
  readonly dir?: string
  /** The database file itself, instead of `dir`. */
  readonly file?: string
  /** Milliseconds since 1970; the system clock unless told. */
  readonly now?: () => number
  /** The database never grows beyond this many bytes; appends are then refused with `storage_full`. */
  readonly maxBytes?: number
}

/**
 * Rejects with StoreLockedError when the data are open elsewhere and with StoreOpenError when
 * they cannot be used. The caller closes the store.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const file = resolve(options.file ?? join(options.dir ?? '.', 'toolwire.db'))
  makeFolder(dirname(file))
  const lock = acquireLock(`${file}.lock`)
  try {
    const unsettled: Unsettled = new Map()
    const writer = await startWriter({ file, maxBytes: options.maxBytes ?? null }, () => unsettled.clear())
    const reader = openReader(file)
    const cache = createSessionCache(reader, unsettled, writer.nextNum)
    const now = options.now ?? Date.now
    return new SqliteStore({ file, reader, writer, cache, unsettled, now, onClosed: lock.release })
  } catch (error) {
    lock.release()
    throw error
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', path, `The data folder cannot be made: ${message}`)
  }
}
