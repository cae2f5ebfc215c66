/**
 * Behind a pooler LISTEN does not work: nodes learn of each other by polling, and everything else is as without
 * it.
 */
import type { Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createConnections } from '../../src/postgres/connections.ts'
import { PostgresStore } from '../../src/postgres/postgres-store.ts'
import { appendOne, claimOne, create, values } from '../contract/session-calls.ts'
import { describeStoreContract } from '../contract.ts'
import { note } from '../events.ts'
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import { type RefusingProxy, startRefusingProxy } from './refusing-proxy.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'
import { readElsewhere } from './two-nodes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const through = (port: number): string => {
  const url = new URL(database.url)
  url.port = String(port)
  return url.href
}
const serverPort = (): number => Number(new URL(database.url).port)

/** A watcher on another node hears of appends in order, and of everything that inputs and owners add. */
async function expectHeard(writer: Store, watcher: Store, session: string): Promise<void> {
  await create(writer, session)
  expect(await watcher.read(session, 0, 10)).toHaveLength(1)
  let heard = 0
  const stop = await watcher.watch((id, head) => {
    if (id === session) heard = Math.max(heard, head)
  })
  const epoch = await claimOne(writer, session, `owner of ${session}`)
  for (let w = 1; w <= 20; w++) {
    await appendOne(writer, { session, as: { epoch, w }, events: [note(w)] })
    await appendOne(watcher, { session, key: `k${w}`, events: [note(`input ${w}`)] })
  }
  // The last one is the writer's alone: the watcher knows of it from the database or not at all.
  await appendOne(writer, { session, as: { epoch, w: 21 }, events: [note('last')] })
  await expect.poll(() => heard, { timeout: 15_000 }).toBe(42)
  const said = values(await watcher.read(session, 1, 100))
  expect(said).toEqual([...Array.from({ length: 20 }, (_, i) => [i + 1, `input ${i + 1}`]).flat(), 'last'])
  stop()
}

describe('a pooler that refuses to listen', () => {
  let proxy: RefusingProxy
  beforeAll(async () => {
    proxy = await startRefusingProxy(serverPort())
  })
  afterAll(() => proxy.close())

  test('nodes hear of each other all the same, and ask again whether they may listen', async () => {
    const stores = [
      await openPostgresStore({ url: through(proxy.port) }),
      await openPostgresStore({ url: through(proxy.port) }),
    ] as const
    const asked = proxy.refused()
    expect(asked).toBeGreaterThan(0)
    await expectHeard(...stores, 'refused')
    await expect.poll(proxy.refused, { timeout: 30_000 }).toBeGreaterThan(asked)
    await Promise.all(stores.map(store => store.close()))
  })
})

test('a heartbeat whose prepared statement the pooler has lost is made all the same, and named statements are given up', async () => {
  const connections = createConnections(database.url)
  const store = new PostgresStore({ connections, now: undefined, listen: false })
  await (await openPostgresStore({ url: database.url })).close()
  await create(store, 'unnamed', { state: 'running' })
  // Of the two connections that heartbeats may take, one is left.
  const held = await connections.side.connect()
  await store.claim({ node: 'first', ttlMs: 0, max: 0 })
  await connections.side.query('deallocate all')
  expect(connections.named('x')).toBe('x')
  expect(await store.claim({ node: 'second', ttlMs: 60_000, max: 10 })).toHaveLength(1)
  expect(connections.named('x')).toBeUndefined()
  held.release()
  await store.close()
})

const program = findPgBouncer()
if (program !== undefined) {
  const TABLES = ['session', 'chunk', 'input_key', 'search_doc', 'node'].map(name => `toolwire.${name}`)
  let pooler: PgBouncer
  beforeAll(async () => {
    pooler = await startPgBouncer(program, serverPort())
  })
  afterAll(() => pooler.close())
  const open = () => openPostgresStore({ url: through(pooler.port) })

  test('behind a real PgBouncer in transaction mode, nodes hear of each other by polling', async () => {
    const stores = [await open(), await open()] as const
    await expectHeard(...stores, 'pooled')
    await Promise.all(stores.map(store => store.close()))
  })

  describeStoreContract('PostgreSQL behind PgBouncer, through two nodes', async () => {
    const store = readElsewhere(await open(), await open())
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
