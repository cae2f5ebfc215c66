/** The log of the sessions: whether it can be read, whether this program knows its schema, how much it holds. */
import {
  describeDatabase,
  examinePostgres,
  examineSqlite,
  MOST_COUNTED,
  StoreOpenError,
  type StoreSummary,
} from '@toolwire/store'
import { databaseFileId } from '../open-data.ts'
import type { DoctorContext } from './doctor-context.ts'
import { bad, type Finding, good } from './finding.ts'

/** Reads the database that a server beside it, or around it, has open. */
export async function examineLog({
  config,
  openFile,
}: Pick<DoctorContext, 'config' | 'openFile'>): Promise<Finding> {
  try {
    if (config.database !== undefined) {
      const { server, ...summary } = await examinePostgres(config.database)
      return good(`PostgreSQL ${server} at ${describeDatabase(config.database)}, ${toText(summary)}`)
    }
    if (openFile !== undefined && openFile !== databaseFileId(config))
      return bad(
        `the server writes to a database that is no longer in ${config.data}`,
        'stop the server and put its files back, or what it writes is lost',
      )
    const summary = examineSqlite(config.data)
    return good(
      summary ? `log in the data folder, ${toText(summary)}` : 'no log yet: the first start makes it',
    )
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error
    const mend = config.database === undefined ? 'choose another folder with --data' : 'check DATABASE_URL'
    return bad(error.message, error.code === 'store_newer' ? 'use the newer program' : mend)
  }
}

function toText({ version, known, sessions }: StoreSummary): string {
  if (version === 0) return 'empty: the first start makes its schema'
  const count = sessions > MOST_COUNTED ? `more than ${MOST_COUNTED}` : sessions
  // A later program may have changed it so that this one still works.
  const next = version >= known ? '' : ` (the next start brings it to ${known})`
  return `schema version ${version}${next}, sessions: ${count}`
}
