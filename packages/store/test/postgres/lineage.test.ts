/** A database whose history changes under a running store. */
import { expect, test } from 'vitest'
import { appendOne, create, values } from '../contract/session-calls.ts'
import { note } from '../events.ts'
import { databaseAtHand } from './database-at-hand.ts'

const hand = databaseAtHand()
const { open } = hand

/** As if a backup had been restored that ends with the first event of every session. */
async function rewind(): Promise<void> {
  await hand.database.query('delete from toolwire.chunk where seq > 1')
  await hand.database.query('update toolwire.session set head = 1')
  await hand.database.query('update toolwire.meta set restored_at = restored_at + 1')
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

test('what a node has read of another history is not served from memory once the new one is known', async () => {
  const writer = await open()
  const reader = await open()
  await reader.lineage?.()
  await create(writer, 'a')
  await appendOne(writer, { session: 'a', events: [note(2), note(3)] })
  expect(values(await reader.read('a', 1, 2))).toEqual([2, 3])
  await rewind()
  await reader.lineage?.()
  expect(await reader.read('a', 1, 2)).toEqual([])
})

test('a node that polls hears of a session whose new history is still shorter than the one before', async () => {
  const writer = await open({ listen: false })
  const watcher = await open({ listen: false })
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
