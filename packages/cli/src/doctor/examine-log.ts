/** The log of the sessions: whether it can be reached, and whether this program understands it. */
import { describeDatabase, examinePostgres, examineSqlite, StoreOpenError } from '@toolwire/store'
import { bad, type Finding, good } from './finding.ts'
import type { Patient } from './patient.ts'

export async function examineLog({ config }: Pick<Patient, 'config'>): Promise<Finding> {
  try {
    if (config.database !== undefined) {
      const { server, ...schema } = await examinePostgres(config.database)
      return good(`PostgreSQL ${server} at ${describeDatabase(config.database)}, ${toSchema(schema)}`)
    }
    const found = examineSqlite(config.data)
    return good(found ? `log in the data folder, ${toSchema(found)}` : 'no log yet: the first start makes it')
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error
    const mend = config.database === undefined ? 'choose another folder with --data' : 'check DATABASE_URL'
    return bad(error.message, error.code === 'store_newer' ? 'use the newer program' : mend)
  }
}

interface Schema {
  readonly version: number
  readonly known: number
}

function toSchema({ version, known }: Schema): string {
  if (version === 0) return 'empty: the first start makes its schema'
  // A later program may have changed it so that this one still works.
  if (version >= known) return `schema version ${version}`
  return `schema version ${version}: the next start brings it to ${known}`
}
