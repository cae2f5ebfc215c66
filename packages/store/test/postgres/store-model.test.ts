/** Random operations: the PostgreSQL store must answer every one of them as the memory store does, read through another node. */
import { openPostgresStore } from '@toolwire/store'
import { afterAll, beforeAll, test } from 'vitest'
import { expectLikeMemory } from '../store-operations.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'
import { readElsewhere } from './two-nodes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('PostgreSQL answers every sequence of operations like the memory store, also through two nodes and when opened again', async () => {
  await expectLikeMemory(
    async clock => {
      const open = () => openPostgresStore({ url: database.url, ...clock })
      return {
        open: async () => readElsewhere(await open(), await open()),
        dispose: async () => {
          await database.query(
            'truncate toolwire.session, toolwire.chunk, toolwire.input_key, toolwire.search_doc',
          )
        },
      }
    },
    Number(process.env['STORE_RUNS'] ?? 10),
  )
})
