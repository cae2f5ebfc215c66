/** Opens the stored sessions: a PostgreSQL database when one is named, else SQLite in the data folder. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '@toolwire/core'
import { describeDatabase, openSqliteStore, StoreLockedError, StoreOpenError } from '@toolwire/store'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'
import { printError } from './terminal.ts'

/** Throws ExitError (data) for problems that a user can fix; the caller closes the store. */
export async function openData(config: Pick<Config, 'data' | 'database'>): Promise<Store> {
  if (config.database === undefined) return await openFolder(config.data)
  const { openDatabase } = await import('./open-database.ts')
  return await openDatabase(config.database)
}

/** The location of the sessions for users: never a password. */
export function describeData(config: Pick<Config, 'data' | 'database'>): string {
  return config.database === undefined ? config.data : describeDatabase(config.database)
}

/** Identifies the database file of the data folder, by which a server notices that it was moved or replaced. */
export function databaseFileId({ data, database }: Pick<Config, 'data' | 'database'>): string | undefined {
  if (database !== undefined) return undefined
  const found = statSync(join(data, 'toolwire.db'), { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** The check runs beside the service, which may be serving already. */
function reportDamage(dir: string, problem: string): void {
  printError(
    `toolwire: The database in ${dir} is damaged: ${problem}. Stop the server, copy the folder, and restore a backup.\n`,
  )
}

async function openFolder(dir: string): Promise<Store> {
  try {
    return await openSqliteStore({ dir, onDamage: problem => reportDamage(dir, problem) })
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
