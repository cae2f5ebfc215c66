/** Opens the stored sessions: a PostgreSQL database when one is named, else SQLite in the data folder. */
import type { Store } from '@toolwire/core'
import { describeDatabase, openSqliteStore, StoreLockedError, StoreOpenError } from '@toolwire/store'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'

/** Throws ExitError (data) for what a user can mend; the caller closes the store. */
export async function openData(config: Pick<Config, 'data' | 'database'>): Promise<Store> {
  if (config.database === undefined) return await openFolder(config.data)
  const { openDatabase } = await import('./open-database.ts')
  return await openDatabase(config.database)
}

/** Where the sessions are, for people: never a password. */
export function describeData(config: Pick<Config, 'data' | 'database'>): string {
  return config.database === undefined ? config.data : describeDatabase(config.database)
}

async function openFolder(dir: string): Promise<Store> {
  try {
    return await openSqliteStore({ dir })
  } catch (error) {
    if (error instanceof StoreLockedError)
      throw new ExitError(
        'data',
        `The data folder ${dir} is used by another running server; stop it or choose another folder with --data.`,
      )
    if (error instanceof StoreOpenError)
      throw new ExitError(
        'data',
        `The data folder ${dir} cannot be used; choose another with --data. ${error.message}.`,
      )
    throw error
  }
}
