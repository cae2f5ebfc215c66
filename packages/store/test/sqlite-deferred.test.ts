/** Claims and releases: in force at once, seen by every reader, and written when a flush takes them along. */
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@toolwire/core'
import { expect, test } from 'vitest'
import { delta, note } from './events.ts'
import { sqliteAtHand } from './sqlite-at-hand.ts'

const hand = sqliteAtHand()

const create = (session: string) =>
  hand.store.append([{ session, create: true, events: [note(1)], state: 'running' }])
const claim = (session: string) => hand.store.claim({ node: 'n', ttlMs: 10_000, max: 1, session })
const release = (session: string, head: number, w = 1) =>
  hand.store.append([
    {
      session,
      as: { epoch: 1, w },
      events: [],
      releaseIfHead: head,
      state: 'paused',
      index: { labels: { model: 'm', error: null } },
    },
  ])

/** The row as another process would read it from the file. */
function rowOf(session: string): Record<string, unknown> | undefined {
  const db = new DatabaseSync(hand.folder.file, { readOnly: true })
  try {
    return db.prepare('select head, epoch, owner, state, labels from session where id = ?').get(session)
  } finally {
    db.close()
  }
}

test('a claim is written to the database by the next flush of any session', async () => {
  await create('a')
  await create('b')
  expect(await claim('a')).toEqual([{ session: 'a', epoch: 1, head: 1 }])
  expect(rowOf('a')).toMatchObject({ epoch: 0, owner: null })
  await hand.store.append([{ session: 'b', events: [note(2)] }])
  expect(rowOf('a')).toMatchObject({ epoch: 1, owner: 'n', state: 'running' })
})

test('a release is written by itself when nothing else is', async () => {
  await create('a')
  await claim('a')
  expect(await release('a', 1)).toEqual([{ head: 1 }])
  await expect
    .poll(() => rowOf('a'))
    .toMatchObject({ epoch: 1, owner: null, state: 'paused', labels: '{"model":"m"}' })
})

test('a row never announces an end whose previews are not in the database', async () => {
  await create('a')
  await create('b')
  await claim('a')
  await hand.store.append([{ session: 'a', as: { epoch: 1, w: 1 }, events: [delta('x'), delta('y', 1)] }])
  await hand.store.append([{ session: 'b', events: [note(2)] }])
  expect(rowOf('a')).toMatchObject({ head: 3, epoch: 1 })
  const db = new DatabaseSync(hand.folder.file, { readOnly: true })
  expect(
    db.prepare('select sum(n) as n from chunk c join session s on s.num = c.session where s.id = ?').get('a'),
  ).toEqual({ n: 3 })
  db.close()
  await hand.store.append([{ session: 'a', as: { epoch: 1, w: 2 }, events: [note(3)] }])
  expect((await hand.store.read('a', 0, 10)).map(rec => rec.seq)).toEqual([1, 2, 3, 4])
})

test.each([
  ['by its id', { ids: ['a'] }],
  ['by its state', { state: 'paused' as const }],
  ['by several ids', { ids: ['a', 'b'] }],
  ['by a label that the release set', { ids: ['a'], labels: { model: 'm' } }],
])('listing the session %s shows the release', async (_, query) => {
  await create('a')
  await claim('a')
  await release('a', 1)
  const { items } = await hand.store.list({ ...query, limit: 10 })
  expect(items).toMatchObject([{ id: 'a', epoch: 1, owner: null, state: 'paused', labels: { model: 'm' } }])
})

test('work that is claimed is not given to the next who looks for work', async () => {
  await create('a')
  await create('b')
  await claim('a')
  expect(await hand.store.claim({ node: 'n', ttlMs: 10_000, max: 1 })).toMatchObject([{ session: 'b' }])
  await release('a', 1)
  expect(await hand.store.prune({ before: Number.MAX_SAFE_INTEGER, dryRun: true })).toBe(0)
})

test('an owner keeps its claim when a flush of its session fails', async () => {
  await hand.reopen({ maxBytes: 300_000 })
  await create('a')
  await claim('a')
  const large = { session: 'a', as: { epoch: 1, w: 1 }, events: [note('x'.repeat(400_000))] }
  await expect(hand.store.append([large])).rejects.toSatisfy(
    (error: unknown) => AppError.is(error) && error.code === 'storage_full',
  )
  expect(await hand.store.append([{ session: 'a', as: { epoch: 1, w: 1 }, events: [note(2)] }])).toEqual([
    { head: 2 },
  ])
  expect(await hand.store.append([{ session: 'a', as: { epoch: 0, w: 2 }, events: [] }])).toEqual([
    { fenced: 1 },
  ])
})

test('a claim keeps its place behind what was appended before it', async () => {
  await create('a')
  const appended = hand.store.append([{ session: 'a', events: [note(2)] }])
  const claimed = claim('a')
  expect(await appended).toEqual([{ head: 2 }])
  expect(await claimed).toEqual([{ session: 'a', epoch: 1, head: 2 }])
})

test('what follows in the same session takes the claim and the release along', async () => {
  await create('a')
  await create('b')
  await claim('a')
  const previews = { session: 'a', as: { epoch: 1, w: 1 }, events: [delta('x')] }
  await hand.store.append([previews, { session: 'b', events: [note(2)] }])
  expect(rowOf('a')).toMatchObject({ head: 2, epoch: 1, owner: 'n' })
  await release('a', 2, 2)
  await hand.store.append([{ session: 'a', events: [note(3)] }])
  expect(rowOf('a')).toMatchObject({ head: 3, owner: null, labels: '{"model":"m"}' })
})

test('a removed session leaves nothing to be written', async () => {
  await create('a')
  await claim('a')
  expect(await hand.store.remove('a')).toBe(true)
  await create('b')
  expect(rowOf('a')).toBeUndefined()
  expect(await claim('a')).toEqual([])
})
