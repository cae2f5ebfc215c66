/** An empty database for every test of a file, and the stores that it opens on it; all are gone afterwards. */
import type { Store } from '@toolwire/core'
import { openPostgresStore, type PostgresStoreOptions } from '@toolwire/store'
import { afterEach, beforeEach } from 'vitest'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

interface DatabaseAtHand {
  database: TestDatabase
  /** One more node on it. */
  readonly open: (options?: Partial<PostgresStoreOptions>) => Promise<Store>
}

/** To be called once, where the file begins. */
export function databaseAtHand(): DatabaseAtHand {
  let stores: Store[] = []
  const hand = {
    async open(options: Partial<PostgresStoreOptions> = {}) {
      const store = await openPostgresStore({ url: hand.database.url, ...options })
      stores.push(store)
      return store
    },
  } as DatabaseAtHand
  beforeEach(async () => {
    hand.database = await createTestDatabase()
    stores = []
  })
  afterEach(async () => {
    await Promise.all(stores.map(store => store.close()))
    await hand.database.drop()
  })
  return hand
}
