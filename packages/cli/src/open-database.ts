/** Opens sessions and records in PostgreSQL. Loaded only by those who name a database. */
import type { FileStore, Records, Store } from '@toolwire/core'
import { openPostgresFiles, openPostgresRecords, openPostgresStore, StoreOpenError } from '@toolwire/store'
import { ExitError } from './exit.ts'

/** Throws ExitError (data) for problems that a user can fix; the caller closes the store. */
export async function openDatabase(url: string): Promise<Store> {
  try {
    return await openPostgresStore({ url })
  } catch (error) {
    if (error instanceof StoreOpenError)
      throw new ExitError('data', `The database cannot be used; check DATABASE_URL. ${error.message}.`, {
        cause: error,
      })
    throw error
  }
}

/** Throws what the driver throws; the caller closes them. */
export async function openDatabaseRecords(url: string): Promise<Records> {
  return await openPostgresRecords(url)
}

/** The sessions of the database were opened before. The caller closes it. */
export const openDatabaseFiles = (url: string): FileStore => openPostgresFiles({ url })
