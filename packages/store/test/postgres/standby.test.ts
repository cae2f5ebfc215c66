/** A primary and a standby that follows it: work is claimed on the primary alone, and a promotion is a new history. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@toolwire/core'
import { openPostgresStore, StoreOpenError } from '@toolwire/store'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { claimSessions } from '../../src/postgres/claim-sessions.ts'
import { createConnections } from '../../src/postgres/connections.ts'
import { PostgresStore } from '../../src/postgres/postgres-store.ts'
import { appendOne, claimOne, create, values } from '../contract/session-calls.ts'
import { note } from '../events.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

// Three servers start one after another.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = (): string => mkdtempSync(join(tmpdir(), 'toolwire-standby-'))

let primary: Cluster
let database: TestDatabase
beforeAll(async () => {
  primary = await createCluster({ dir: folder() })
  await primary.start()
  database = await createTestDatabase(`${primary.url}/postgres`)
})
afterAll(() => primary.remove())

const isReadOnly = (error: unknown): boolean =>
  AppError.is(error) && error.code === 'storage_error' && JSON.stringify(error.details).includes('25006')
const isUnsupported = (error: unknown): boolean =>
  error instanceof StoreOpenError && error.code === 'store_unsupported' && /primary/.test(error.message)

test('a standby gives no work away and cannot be opened; once promoted it serves as another history', async () => {
  const before = await openPostgresStore({ url: database.url })
  await create(before, 'a', { state: 'running' })
  expect(await before.lineage?.()).toBe('')
  await before.close()

  const standby = await primary.makeStandby(folder())
  const url = new URL(database.url)
  url.port = String(standby.port)
  try {
    await standby.start()
    await expect(openPostgresStore({ url: url.href })).rejects.toSatisfy(isUnsupported)

    // A node whose address points to a standby all of a sudden: what it knows of the primary does not help it.
    const connections = createConnections(url.href)
    const moved = new PostgresStore({ connections, now: undefined, listen: false })
    await expect.poll(async () => values(await moved.read('a', 0, 10))).toEqual(['a made'])
    await expect(moved.claim({ node: 'n', ttlMs: 60_000, max: 10 })).rejects.toSatisfy(isReadOnly)
    await expect(moved.claim({ node: 'n', ttlMs: 60_000, max: 1, session: 'a' })).rejects.toSatisfy(
      isReadOnly,
    )

    const writer = await openPostgresStore({ url: database.url })
    const epoch = await claimOne(writer, 'a', 'owner')
    await appendOne(writer, { session: 'a', as: { epoch, w: 1 }, events: [note(2)] })
    await expect.poll(async () => values(await moved.read('a', 0, 10))).toEqual(['a made', 2])
    await writer.close()

    await primary.kill()
    // Not waited for by the query, which has its own timeout: a promotion writes a checkpoint first.
    await connections.readers.query('select pg_promote(false)')
    await expect.poll(() => moved.lineage(), { timeout: 100_000 }).not.toBe('')
    const [claimed] = await claimSessions(connections, { node: 'n', ttlMs: 60_000, max: 1 }, null)
    // The lease of the lost primary's owner is still on its way to its end.
    expect(claimed).toBeUndefined()
    await connections.readers.query('update toolwire.node set lease_until = now()')
    expect(await moved.claim({ node: 'n', ttlMs: 60_000, max: 1 })).toEqual([
      { session: 'a', epoch: epoch + 1, head: 2 },
    ])
    await moved.close()
    const after = await openPostgresStore({ url: url.href })
    expect(await after.lineage?.()).toBe('0-2')
    await after.close()
  } finally {
    await standby.remove()
    await primary.start()
  }
})

test('a database that takes no writes is refused at the start, and a node that meets one waits for it to change', async () => {
  const store = await openPostgresStore({ url: database.url })
  const name = new URL(database.url).pathname.slice(1)
  const setReadOnly = async (value: string): Promise<void> => {
    await database.query(
      `begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`,
    )
    await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  }
  await create(store, 'b', { state: 'running' })
  await setReadOnly('on')
  await expect(openPostgresStore({ url: database.url })).rejects.toSatisfy(isUnsupported)
  await expect
    .poll(() => store.claim({ node: 'n', ttlMs: 60_000, max: 10 }).then(String, isReadOnly))
    .toBe(true)
  const appended = appendOne(store, { session: 'b', events: [note(2)] })
  await setReadOnly('off')
  expect(await appended).toEqual({ head: 2 })
  await store.close()
})
