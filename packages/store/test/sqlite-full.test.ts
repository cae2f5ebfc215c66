/**
 * A full disk: appends are rejected one by one, nothing is stored in part, and work continues when there is space
 * again.
 */
import { AppError, type Append, type AppendResult, type Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { delta, note } from './events.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

const MAX_BYTES = 400_000
let folder: TemporaryFolder
let store: Store
beforeEach(async () => {
  folder = await makeTemporaryFolder()
  store = await openSqliteStore({ dir: folder.path, maxBytes: MAX_BYTES })
  await store.append([
    { session: 'a', create: true, events: [note('first')] },
    { session: 'old', create: true, events: [note('x'.repeat(150_000))] },
  ])
})
afterEach(async () => {
  await store.close()
  await folder.remove()
})

const isFull = (error: unknown): boolean => AppError.is(error) && error.code === 'storage_full'

/** Appends until the disk is full; returns the write that was refused and the head before it. */
async function fill(
  next: (w: number) => Append,
): Promise<{ readonly refused: Append; readonly head: number }> {
  let head = 1
  for (let w = 1; w < 1000; w++) {
    const write = next(w)
    try {
      const [answer] = (await store.append([write])) as readonly [AppendResult]
      if (!('head' in answer)) throw new Error(`unexpected answer ${JSON.stringify(answer)}`)
      head = answer.head
    } catch (error) {
      if (!isFull(error)) throw error
      return { refused: write, head }
    }
  }
  throw new Error('the disk never became full')
}

for (const [kind, event] of [
  ['facts', note('y'.repeat(10_000))],
  ['previews', delta('z'.repeat(10_000))],
] as const) {
  test(`${kind} that do not fit are refused whole; the same append is stored once there is space`, async () => {
    const [claimed] = await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })
    const epoch = claimed?.epoch ?? 0
    const { refused, head } = await fill(w => ({ session: 'a', as: { epoch, w }, events: [event, event] }))
    expect(await store.read('a', head, 10)).toEqual([])
    expect((await store.list({ ids: ['a'], limit: 1 })).items[0]?.head).toBe(head)
    await expect(store.append([refused])).rejects.toSatisfy(isFull)

    expect(await store.remove('old')).toBe(true)
    expect(await store.append([refused])).toEqual([{ head: head + 2 }])
    expect(await store.append([refused])).toEqual([{ head: head + 2 }])

    await store.close()
    store = await openSqliteStore({ dir: folder.path })
    const records = await store.read('a', 0, 10_000)
    expect(records.map(rec => rec.seq)).toEqual(Array.from({ length: head + 2 }, (_, i) => i + 1))
  })
}

test('a store at its limit opens again, and room can be made in it', async () => {
  const [claimed] = await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })
  const epoch = claimed?.epoch ?? 0
  const { head } = await fill(w => ({ session: 'a', as: { epoch, w }, events: [delta('z'.repeat(10_000))] }))
  await store.close()
  store = await openSqliteStore({ dir: folder.path, maxBytes: MAX_BYTES })
  expect(await store.read('a', 0, 10_000)).toHaveLength(head)
  await expect(store.append([{ session: 'a', events: [note('y'.repeat(100_000))] }])).rejects.toSatisfy(
    isFull,
  )
  await store.remove('old')
  expect(await store.append([{ session: 'a', events: [note('y'.repeat(100_000))] }])).toEqual([
    { head: head + 1 },
  ])
})

test('a session whose creation did not fit does not exist', async () => {
  const large = { session: 'b', create: true, events: [note('w'.repeat(MAX_BYTES))], key: 'k' }
  await expect(store.append([large])).rejects.toSatisfy(isFull)
  expect(await store.append([{ session: 'b', events: [note(1)] }])).toEqual([{ missing: 'never' }])
  expect(await store.append([{ ...large, events: [note(1)] }])).toEqual([{ head: 1 }])
})

test('no watcher hears of what was refused', async () => {
  const told: string[] = []
  const stop = await store.watch(session => told.push(session))
  await expect(store.append([{ session: 'a', events: [note('w'.repeat(MAX_BYTES))] }])).rejects.toSatisfy(
    isFull,
  )
  expect(told).toEqual([])
  stop()
})
