/** Opens the records: API keys, their spending, the audit trail. */
import type { Records } from '@toolwire/core'
import { openSqliteRecords } from '@toolwire/store'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'
import { describeData } from './open-data.ts'

/** Throws ExitError (data) when they cannot be used; the caller closes them. */
export async function openRecords(config: Config): Promise<Records> {
  try {
    if (config.database === undefined) return openSqliteRecords(config.data)
    const { openDatabaseRecords } = await import('./open-database.ts')
    return await openDatabaseRecords(config.database)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ExitError(
      'data',
      `The keys in ${describeData(config)} cannot be read; choose another --data or DATABASE_URL. ${why}.`,
    )
  }
}
