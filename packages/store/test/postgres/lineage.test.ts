/** A database whose history is another one than before, under a store that goes on. */
import type { Store } from '@toolwire/core'
import { openPostgresStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendOne, create, values } from '../contract/session-calls.ts'
import { note } from '../events.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

let database: TestDatabase
let stores: Store[]
beforeEach(async () => {
  database = await createTestDatabase()
  stores = []
})
afterEach(async () => {
  await Promise.all(stores.map(store => store.close()))
  await database.drop()
})

async function open(listen = true): Promise<Store> {
  const store = await openPostgresStore({ url: database.url, listen })
  stores.push(store)
  return store
}

/** As if a backup had been restored that ends with the first event of every session. */
async function rewind(): Promise<void> {
  await database.query('delete from toolwire.chunk where seq > 1')
  await database.query('update toolwire.session set head = 1')
  await database.query('update toolwire.meta set restored_at = restored_at + 1')
}

test('what another history ended with is not served from memory once the new one is known', async () => {
  const store = await open()
  const before = await store.lineage?.()
  await create(store, 'a')
  await appendOne(store, { session: 'a', events: [note(2), note(3)] })
  await rewind()
  expect(values(await store.read('a', 1, 10, { live: true }))).toEqual([2, 3])
  expect(await store.lineage?.()).not.toBe(before)
  expect(await store.read('a', 1, 10, { live: true })).toEqual([])
})

test('a node that polls hears of a session whose new history is still shorter than the one before', async () => {
  const writer = await open(false)
  const watcher = await open(false)
  await watcher.lineage?.()
  await create(writer, 'a')
  await appendOne(writer, { session: 'a', events: [note(2), note(3), note(4)] })
  await watcher.read('a', 0, 10)
  await rewind()
  await watcher.lineage?.()
  expect(await watcher.read('a', 0, 10)).toHaveLength(1)
  const heard: string[] = []
  await watcher.watch((session, head) => heard.push(`${session}:${head}`))
  await appendOne(writer, { session: 'a', events: [note('another second')] })
  await expect.poll(() => heard, { timeout: 30_000 }).toContain('a:2')
  expect(values(await watcher.read('a', 1, 10))).toEqual(['another second'])
})
