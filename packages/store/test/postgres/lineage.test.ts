/** A database whose history is another one than before, under a store that goes on. */
import { openPostgresStore } from '@toolwire/store'
import pg from 'pg'
import { expect, test } from 'vitest'
import { appendOne, create, values } from '../contract/session-calls.ts'
import { note } from '../events.ts'
import { createTestDatabase } from './test-database.ts'

test('what another history ended with is not served from memory once the new one is known', async () => {
  const database = await createTestDatabase()
  const store = await openPostgresStore({ url: database.url })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const before = await store.lineage?.()
    await create(store, 'a')
    await appendOne(store, { session: 'a', events: [note(2), note(3)] })
    await client.query('delete from toolwire.chunk where seq > 1')
    await client.query('update toolwire.session set head = 1')
    await client.query('update toolwire.meta set restored_at = 1')
    expect(values(await store.read('a', 1, 10, { live: true }))).toEqual([2, 3])
    expect(await store.lineage?.()).not.toBe(before)
    expect(await store.read('a', 1, 10, { live: true })).toEqual([])
  } finally {
    await client.end()
    await store.close()
    await database.drop()
  }
})
