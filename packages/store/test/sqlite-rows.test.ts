/** Sessions looked up by their ids: returned as the database has them, whatever happened since they were read. */
import { expect, test } from 'vitest'
import { delta, note } from './events.ts'
import { sqliteAtHand } from './sqlite-at-hand.ts'

const hand = sqliteAtHand()
const look = async (labels?: Record<string, string>) => {
  const { items } = await hand.store.list({ ids: ['a'], limit: 1, ...(labels ? { labels } : {}) })
  return items[0]
}
/** By another statement, which reads the table. */
const listed = async () => (await hand.store.list({ limit: 10 })).items[0]

test('one whose previews have gone to the database alone has their head', async () => {
  const { store } = hand
  await store.append([{ session: 'a', create: true, events: [note(1)] }])
  const [claimed] = await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })
  // The first takes the claim along; from then on previews move nothing but the head.
  for (const w of [1, 2, 3]) {
    await store.append([{ session: 'a', as: { epoch: claimed?.epoch ?? 0, w }, events: [delta('x')] }])
    expect((await look())?.head).toBe(1 + w)
    await store.stats()
    expect(await look()).toMatchObject({ head: 1 + w, owner: 'n', state: 'running' })
  }
  expect(await look()).toEqual(await listed())
})

test.each(['just made', 'read before'])(
  'one that was %s has its title and labels as they are now',
  async how => {
    const index = { title: 'first', labels: { x: '1', y: '1' } }
    await hand.store.append([{ session: 'a', create: true, events: [note(1)], index }])
    if (how === 'read before') await hand.reopen()
    expect(await look()).toMatchObject(index)
    await hand.store.append([{ session: 'a', events: [note(2)], index: { labels: { y: null, z: '2' } } }])
    expect(await look()).toEqual(await listed())
    expect(await look()).toMatchObject({ title: 'first', labels: { x: '1', z: '2' }, head: 2 })
    expect((await look())?.labels).not.toHaveProperty('y')
    await hand.store.append([{ session: 'a', events: [note(3)], index: { title: 'second' } }])
    expect(await look({ x: '1' })).toEqual(await listed())
    expect(await look({ x: '2' })).toBeUndefined()
    expect(await look({ y: '1' })).toBeUndefined()
  },
)

test('one that was removed is not there', async () => {
  await hand.store.append([{ session: 'a', create: true, events: [note(1)] }])
  expect(await look()).toBeDefined()
  await hand.store.remove('a')
  expect(await look()).toBeUndefined()
})

test('one of many is found, also when more were looked up than are remembered', async () => {
  const ids = Array.from({ length: 4200 }, (_, n) => `s${n}`)
  await hand.store.append(ids.map(session => ({ session, create: true, events: [note(1)] })))
  for (const id of ['s0', 's4199', 's0'])
    expect((await hand.store.list({ ids: [id], limit: 1 })).items[0]).toMatchObject({ id, head: 1 })
})
