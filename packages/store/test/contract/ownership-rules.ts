/** Who may write as the owner: epochs, writer sequence, release, claims. */
import type { Append, Store } from '@toolwire/core'
import { expect, test } from 'vitest'
import { delta, note } from '../events.ts'
import { appendOne, claimOne, create, type Get, rowOf, values } from './session-calls.ts'

export function describeOwnership(get: Get, endNode: (node: string) => Promise<void>): void {
  test('an owner writes under its epoch; the epoch of before is fenced and writes nothing', async () => {
    const store = get()
    await create(store, 'a')
    const first = await claimOne(store, 'a', 'n1')
    expect(await appendOne(store, { session: 'a', as: { epoch: first, w: 1 }, events: [note(2)] })).toEqual({
      head: 2,
    })
    await endNode('n1')
    const second = await claimOne(store, 'a', 'n2')
    expect(second).toBe(first + 1)
    expect(
      await appendOne(store, { session: 'a', as: { epoch: first, w: 2 }, events: [note('zombie')] }),
    ).toEqual({
      fenced: second,
    })
    expect(
      await appendOne(store, { session: 'a', as: { epoch: second, w: 1 }, events: [delta('3')] }),
    ).toEqual({ head: 3 })
    const records = await store.read('a', 0, 10)
    expect(values(records)).toEqual(['a made', 2, '3'])
    expect(records.map(rec => rec.epoch)).toEqual([0, first, second])
  })

  for (const [kind, event] of [
    ['fact', note('own')],
    ['preview', delta('own')],
  ] as const) {
    test(`repeating an owner's ${kind} gets the first answer and writes nothing, even after others wrote`, async () => {
      const store = get()
      await create(store, 'a')
      const epoch = await claimOne(store, 'a')
      const write: Append = { session: 'a', as: { epoch, w: 1 }, events: [event] }
      expect(await appendOne(store, write)).toEqual({ head: 2 })
      await appendOne(store, { session: 'a', key: 'k', events: [note('input')] })
      expect(await appendOne(store, write)).toEqual({ head: 2 })
      expect(await store.append([write, write])).toEqual([{ head: 2 }, { head: 2 }])
      expect(values(await store.read('a', 1, 10))).toEqual(['own', 'input'])
    })
  }

  test('an owner write that would overtake a missing one, or comes back late, is a conflict', async () => {
    const store = get()
    await create(store, 'a')
    const epoch = await claimOne(store, 'a')
    const at = (w: number): Append => ({ session: 'a', as: { epoch, w }, events: [delta(`w${w}`)] })
    expect(await appendOne(store, at(2))).toEqual({ conflict: 1 })
    expect(await store.append([at(1), at(2)])).toEqual([{ head: 2 }, { head: 3 }])
    expect(await appendOne(store, at(1))).toEqual({ conflict: 3 })
    expect(await appendOne(store, at(3))).toEqual({ head: 4 })
  })

  test('inputs of others go in between without disturbing the owner', async () => {
    const store = get()
    await create(store, 'a', { events: [] })
    const epoch = await claimOne(store, 'a')
    const answers = await store.append([
      { session: 'a', as: { epoch, w: 1 }, events: [delta('1')] },
      { session: 'a', key: 'i', events: [note('2')] },
      { session: 'a', as: { epoch, w: 2 }, events: [delta('3')] },
    ])
    expect(answers).toEqual([{ head: 1 }, { head: 2 }, { head: 3 }])
    expect(values(await store.read('a', 0, 10))).toEqual(['1', '2', '3'])
  })

  test('a release holds only when the head is the expected one', async () => {
    const store = get()
    await create(store, 'a', { state: 'running' })
    const epoch = await claimOne(store, 'a')
    const release: Append = { session: 'a', as: { epoch, w: 1 }, events: [], releaseIfHead: 1, state: 'idle' }
    await appendOne(store, { session: 'a', events: [note('input')], state: 'running' })
    expect(await appendOne(store, release)).toEqual({ conflict: 2 })
    expect(await rowOf(store, 'a')).toMatchObject({ owner: 'n', state: 'running' })
    expect(await appendOne(store, { ...release, releaseIfHead: 2 })).toEqual({ head: 2 })
    expect(await rowOf(store, 'a')).toMatchObject({ owner: null, state: 'idle', epoch })
  })

  test('previews of an owner count towards the head that a release expects', async () => {
    const store = get()
    await create(store, 'a', { state: 'running' })
    const epoch = await claimOne(store, 'a')
    await appendOne(store, { session: 'a', as: { epoch, w: 1 }, events: [delta('x')] })
    const release = (head: number): Append => ({
      session: 'a',
      as: { epoch, w: 2 },
      events: [],
      releaseIfHead: head,
    })
    expect(await appendOne(store, release(1))).toEqual({ conflict: 2 })
    expect(await appendOne(store, release(2))).toEqual({ head: 2 })
  })
}

export function describeClaims(get: Get, endNode: (node: string) => Promise<void>): void {
  const claim = async (store: Store, node = 'n', max = 10): Promise<readonly string[]> =>
    (await store.claim({ node, ttlMs: 10_000, max })).map(claimed => claimed.session).sort()

  test('running sessions without an owner are claimed once, others are left alone', async () => {
    const store = get()
    await create(store, 'runs', { state: 'running' })
    await create(store, 'idles')
    await create(store, 'paused', { state: 'paused' })
    expect(await store.claim({ node: 'n', ttlMs: 10_000, max: 10 })).toEqual([
      { session: 'runs', epoch: 1, head: 1 },
    ])
    expect(await claim(store)).toEqual([])
    expect(await rowOf(store, 'runs')).toMatchObject({ owner: 'n', epoch: 1, state: 'running' })
  })

  test('a dead owner loses its sessions to the next one, in a new epoch', async () => {
    const store = get()
    await create(store, 'a', { state: 'running' })
    await claim(store, 'n1')
    await endNode('n1')
    expect(await store.claim({ node: 'n2', ttlMs: 10_000, max: 10 })).toEqual([
      { session: 'a', epoch: 2, head: 1 },
    ])
    expect((await rowOf(store, 'a'))?.owner).toBe('n2')
  })

  test('a named session is claimed in any state and runs from then on', async () => {
    const store = get()
    await create(store, 'a', { state: 'paused' })
    expect(await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })).toEqual([
      { session: 'a', epoch: 1, head: 1 },
    ])
    expect(await rowOf(store, 'a')).toMatchObject({ state: 'running', owner: 'n' })
    expect(await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })).toEqual([])
    expect(await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'nobody' })).toEqual([])
  })

  test('due work is claimed once and its time is taken away; work of later stays', async () => {
    const store = get()
    await create(store, 'due', { state: 'paused', index: { wakeAt: 1 } })
    await create(store, 'later', { state: 'paused', index: { wakeAt: Number.MAX_SAFE_INTEGER } })
    expect(await claim(store)).toEqual(['due'])
    expect(await rowOf(store, 'due')).toMatchObject({ wakeAt: null, state: 'running' })
    expect(await claim(store)).toEqual([])
    await claimOne(store, 'later')
    expect((await rowOf(store, 'later'))?.wakeAt).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('a time to wake can be set and taken back', async () => {
    const store = get()
    await create(store, 'a', { state: 'paused', index: { wakeAt: 1 } })
    await appendOne(store, { session: 'a', events: [], index: { title: 'x' } })
    expect((await rowOf(store, 'a'))?.wakeAt).toBe(1)
    await appendOne(store, { session: 'a', events: [], index: { wakeAt: null } })
    expect((await rowOf(store, 'a'))?.wakeAt).toBe(null)
    expect(await claim(store)).toEqual([])
  })

  test('no more than asked for is claimed; the rest is for the next', async () => {
    const store = get()
    for (const id of ['a', 'b', 'c']) await create(store, id, { state: 'running' })
    const first = await claim(store, 'n', 2)
    expect(first).toHaveLength(2)
    expect([...first, ...(await claim(store))].sort()).toEqual(['a', 'b', 'c'])
  })

  test('a released session that runs again is claimed again', async () => {
    const store = get()
    await create(store, 'a', { state: 'running' })
    const epoch = await claimOne(store, 'a')
    await appendOne(store, { session: 'a', as: { epoch, w: 1 }, events: [], releaseIfHead: 1, state: 'idle' })
    expect(await claim(store)).toEqual([])
    await appendOne(store, { session: 'a', events: [note('input')], state: 'running' })
    expect(await claim(store)).toEqual(['a'])
  })

  test('a removed session is never claimed', async () => {
    const store = get()
    await create(store, 'a', { state: 'running', index: { wakeAt: 1 } })
    await store.remove('a')
    expect(await claim(store)).toEqual([])
    expect(await store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: 'a' })).toEqual([])
  })
}
