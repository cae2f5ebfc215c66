/** Opens the PostgreSQL store: connection, checks, schema, in that order. */
import type { Store } from '@toolwire/core'
import { StoreOpenError } from '../store-errors.ts'
import { createConnections } from './connections.ts'
import { describeDatabase } from './describe-database.ts'
import { migrate } from './migrate.ts'
import { PostgresStore } from './postgres-store.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** Milliseconds since 1970 for lists and due work; the database's clock by default. Leases never use it. */
  readonly now?: () => number
  /** False does without notifications of other nodes and polls instead. */
  readonly listen?: boolean
}

/** Rejects with StoreOpenError when the database cannot be reached or used. The caller closes the store. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const name = describeDatabase(options.url)
  const connections = createConnections(options.url)
  try {
    const client = await connections.readers.connect()
    try {
      await migrate(client, name)
    } finally {
      client.release()
    }
  } catch (error) {
    await connections.close()
    if (error instanceof StoreOpenError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', name, `The database cannot be used: ${message}`)
  }
  const store = new PostgresStore({ connections, now: options.now, listen: options.listen ?? true })
  await store.ready
  return store
}
