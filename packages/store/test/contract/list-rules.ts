/** What watchers hear and what lists show. */
import { AppError, type Rec, type Store } from '@toolwire/core'
import { expect, test } from 'vitest'
import { delta, note } from '../events.ts'
import { appendOne, claimOne, create, type Get, idsOf, rowOf, values } from './session-calls.ts'

export function describeHints(get: Get): void {
  test('a hint comes after the commit: its events can be read', async () => {
    const store = get()
    await create(store, 'a')
    const reads: Promise<readonly Rec[]>[] = []
    const stop = await store.watch((session, head) => reads.push(store.read(session, head - 1, 10)))
    await appendOne(store, { session: 'a', events: [note('seen')] })
    await expect.poll(() => reads.length).toBeGreaterThan(0)
    expect(values((await Promise.all(reads)).flat())).toContain('seen')
    stop()
  })

  test('a rejected write sends no hint, and an unsubscribed watcher gets none', async () => {
    const store = get()
    await create(store, 'a')
    const told: string[] = []
    const toldToo: string[] = []
    const stop = await store.watch(session => told.push(session))
    const stopToo = await store.watch(session => toldToo.push(session))
    await appendOne(store, { session: 'a', events: [note('x')], releaseIfHead: 9 })
    await appendOne(store, { session: 'gone', events: [note('x')] })
    stop()
    stop()
    await create(store, 'b')
    await expect.poll(() => toldToo).toEqual(['b'])
    expect(told).toEqual([])
    stopToo()
  })

  test('watchers are notified when a session is removed', async () => {
    const store = get()
    await create(store, 'a')
    const told: string[] = []
    const stop = await store.watch(session => told.push(session))
    await store.remove('a')
    await expect.poll(() => told).toContain('a')
    stop()
  })
}

export function describeList(get: Get, tick: () => Promise<void>): void {
  async function createInTurn(store: Store, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await create(store, id)
      await tick()
    }
  }

  test('the last updated session comes first', async () => {
    const store = get()
    await createInTurn(store, ['a', 'b', 'c'])
    expect(await idsOf(store, {})).toEqual(['c', 'b', 'a'])
    await appendOne(store, { session: 'a', events: [note('x')] })
    expect(await idsOf(store, {})).toEqual(['a', 'c', 'b'])
  })

  test("an owner's previews move the head in the list but not the session", async () => {
    const store = get()
    await createInTurn(store, ['a', 'b'])
    const epoch = await claimOne(store, 'a')
    await tick()
    await appendOne(store, { session: 'a', as: { epoch, w: 1 }, events: [delta('x'), delta('y', 1)] })
    const { items } = await store.list({ limit: 10 })
    expect(items.map(row => [row.id, row.head])).toEqual([
      ['b', 1],
      ['a', 3],
    ])
  })

  test('pages follow on each other without gap or repeat', async () => {
    const store = get()
    const ids = Array.from({ length: 25 }, (_, i) => `s${String(i).padStart(2, '0')}`)
    // Several in one call share a time, so that ids decide too.
    for (let i = 0; i < ids.length; i += 4) {
      await store.append(ids.slice(i, i + 4).map(session => ({ session, create: true, events: [] })))
      await tick()
    }
    const all = await idsOf(store, {})
    expect([...all].sort()).toEqual(ids)
    const paged: string[] = []
    let after: string | undefined
    do {
      const page = await store.list({ limit: 7, ...(after === undefined ? {} : { after }) })
      paged.push(...page.items.map(row => row.id))
      after = page.next ?? undefined
    } while (after !== undefined)
    expect(paged).toEqual(all)
  })

  test('a list that fits its page has no next one', async () => {
    const store = get()
    await createInTurn(store, ['a', 'b'])
    expect((await store.list({ limit: 2 })).next).toBe(null)
    expect((await store.list({ limit: 1 })).next).not.toBe(null)
  })

  test('a cursor that no list gave is refused', async () => {
    const bad = get().list({ limit: 1, after: 'nonsense' })
    await expect(bad).rejects.toSatisfy(error => AppError.is(error) && error.code === 'invalid_cursor')
  })

  test('sessions are found by state, by ids, by the beginning of the id, and by all of these', async () => {
    const store = get()
    await create(store, 'x-1', { state: 'running' })
    await create(store, 'x-2', { state: 'paused' })
    await create(store, 'y%1', { state: 'running' })
    expect((await idsOf(store, { state: 'running' })).toSorted()).toEqual(['x-1', 'y%1'])
    expect((await idsOf(store, { ids: ['x-2', 'y%1', 'none'] })).toSorted()).toEqual(['x-2', 'y%1'])
    expect(await idsOf(store, { ids: [] })).toEqual([])
    expect((await idsOf(store, { idPrefix: 'x-' })).toSorted()).toEqual(['x-1', 'x-2'])
    expect(await idsOf(store, { idPrefix: 'y%' })).toEqual(['y%1'])
    expect(await idsOf(store, { idPrefix: '%' })).toEqual([])
    expect(await idsOf(store, { idPrefix: 'x-', state: 'running', ids: ['x-1', 'x-2'] })).toEqual(['x-1'])
  })

  test('labels are merged, null deletes one, and every given label must match', async () => {
    const store = get()
    await create(store, 'a', { index: { labels: { owner: 'me', tier: '1', 'odd "key".$': "it's" } } })
    await create(store, 'b', { index: { labels: { owner: 'me' } } })
    await appendOne(store, {
      session: 'a',
      events: [],
      index: { labels: { tier: null, extra: 'e', none: null } },
    })
    expect((await rowOf(store, 'a'))?.labels).toEqual({ owner: 'me', extra: 'e', 'odd "key".$': "it's" })
    expect((await idsOf(store, { labels: { owner: 'me' } })).toSorted()).toEqual(['a', 'b'])
    expect(await idsOf(store, { labels: { owner: 'me', extra: 'e' } })).toEqual(['a'])
    expect(await idsOf(store, { labels: { 'odd "key".$': "it's" } })).toEqual(['a'])
    expect(await idsOf(store, { labels: { tier: '1' } })).toEqual([])
  })

  test('labels of several writes in one call are merged in their order', async () => {
    const store = get()
    await create(store, 'a', { index: { labels: { x: '1' } } })
    await store.append([
      { session: 'a', events: [], index: { labels: { x: null, y: '1' } } },
      { session: 'a', events: [], index: { labels: { x: '2', y: null } } },
    ])
    expect((await rowOf(store, 'a'))?.labels).toEqual({ x: '2' })
  })
}
