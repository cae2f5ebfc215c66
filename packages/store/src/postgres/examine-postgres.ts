/** Looks at a database as a start would, and changes nothing. */
import type { ClientBase } from 'pg'
import { StoreOpenError } from '../store-errors.ts'
import { MOST_COUNTED, type StoreSummary } from '../store-summary.ts'
import { createConnections } from './connections.ts'
import { describeDatabase } from './describe-database.ts'
import { checkServer, readMadeVersion, refuseNewer } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'

/** Rejects with StoreOpenError when a start would. */
export async function examinePostgres(url: string): Promise<StoreSummary & { readonly server: string }> {
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
      return {
        server: String(rows[0]?.['label']),
        version: made?.version ?? 0,
        known: MIGRATIONS.length,
        sessions: made ? await countSessions(client) : 0,
      }
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

async function countSessions(client: ClientBase): Promise<number> {
  const { rows } = await client.query(
    `select count(*) as sessions from
       (select 1 from toolwire.session where deleted_at is null limit ${MOST_COUNTED + 1}) as counted`,
  )
  return Number(rows[0]?.['sessions'])
}
