/** Checkpoints in PostgreSQL. */
import type { Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { describeCheckpoints } from '../checkpoint-contract.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

let database: TestDatabase
let store: Store | undefined
beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await store?.close()
  await database.query('truncate toolwire.session, toolwire.chunk, toolwire.checkpoint')
})
afterAll(() => database.drop())

describeCheckpoints(async () => {
  store = await openPostgresStore({ url: database.url })
  return store
})
