/** Looks at a database as a start would, and changes nothing. */
import { StoreOpenError } from '../store-errors.ts'
import { createConnections } from './connections.ts'
import { describeDatabase } from './describe-database.ts'
import { checkServer, readMadeVersion, refuseNewer } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'

export interface ExaminedStore {
  /** How many changes of the schema it has; 0 before the first start. */
  readonly version: number
  /** How many of them this program knows: a start makes the rest. */
  readonly known: number
}

/** Rejects with StoreOpenError when a start would. */
export async function examinePostgres(url: string): Promise<ExaminedStore & { readonly server: string }> {
  const name = describeDatabase(url)
  const connections = createConnections(url)
  try {
    const client = await connections.readers.connect()
    try {
      await checkServer(client, name)
      const made = await readMadeVersion(client)
      refuseNewer(made ?? { version: 0, worksWith: 0 }, name, MIGRATIONS)
      const { rows } = await client.query(
        `select current_setting('server_version') as label,
           has_database_privilege(current_database(), 'create') as creates`,
      )
      if (!made && rows[0]?.['creates'] !== true)
        throw new StoreOpenError(
          'store_unwritable',
          name,
          'This user may not create a schema in the database',
        )
      return { server: String(rows[0]?.['label']), version: made?.version ?? 0, known: MIGRATIONS.length }
    } finally {
      client.release()
    }
  } catch (error) {
    if (error instanceof StoreOpenError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', name, `The database cannot be used: ${message}`)
  } finally {
    await connections.close()
  }
}
