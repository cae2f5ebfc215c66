/** A connection that breaks while it is lent out, between two statements of a transaction, must not end the process. */
import { openPostgresStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { createConnections } from '../../src/postgres/connections.ts'
import { appendOne, create } from '../contract/session-calls.ts'
import { note } from '../events.ts'
import { createTestDatabase } from './test-database.ts'

test('a lent connection that the server ends is an error of the next statement and nothing else', async () => {
  const database = await createTestDatabase()
  const connections = createConnections(database.url)
  const store = await openPostgresStore({ url: database.url })
  try {
    await create(store, 'a')
    const client = await connections.readers.connect()
    const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
    const gone = new Promise(resolve => client.once('end', resolve))
    await database.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await gone
    await expect(client.query('select 1')).rejects.toThrow()
    client.release(true)
    expect(await appendOne(store, { session: 'a', events: [note(2)] })).toEqual({ head: 2 })
  } finally {
    await store.close()
    await connections.close()
    await database.drop()
  }
})
