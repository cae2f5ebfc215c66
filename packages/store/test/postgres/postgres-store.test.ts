/** The contract of every store, on one node, through two nodes, and through two nodes without notifications. */
import type { Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterAll, beforeAll } from 'vitest'
import { describeStoreContract } from '../contract.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'
import { readElsewhere } from './two-nodes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const TABLES = ['session', 'chunk', 'input_key', 'search_doc', 'node'].map(name => `toolwire.${name}`)

function describePostgres(name: string, open: () => Promise<Store>): void {
  describeStoreContract(name, async () => {
    const store = await open()
    return {
      store,
      tick: () => new Promise(resolve => setTimeout(resolve, 2)),
      endNode: async node => {
        await database.query('update toolwire.node set lease_until = now() where id = $1', [node])
      },
      dispose: async () => {
        await store.close()
        await database.query(`truncate ${TABLES.join(', ')}`)
      },
    }
  })
}

describePostgres('PostgreSQL', () => openPostgresStore({ url: database.url }))

for (const listen of [true, false])
  describePostgres(`PostgreSQL through two nodes ${listen ? 'with' : 'without'} notifications`, async () =>
    readElsewhere(
      await openPostgresStore({ url: database.url, listen }),
      await openPostgresStore({ url: database.url, listen }),
    ),
  )
