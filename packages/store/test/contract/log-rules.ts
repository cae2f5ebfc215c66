/** What a session log holds after an append: numbering, creation, idempotency keys. */
import type { Append, SessionEvent } from '@toolwire/core'
import { expect, test } from 'vitest'
import { delta, inputMessage, note, TS } from '../events.ts'
import { appendOne, create, type Get, rowOf, values } from './session-calls.ts'

export function describeNumbering(get: Get): void {
  test('events get the numbers 1, 2, 3 … of their session, however they are appended', async () => {
    const store = get()
    expect(await create(store, 'a')).toEqual({ head: 1 })
    expect(await create(store, 'b', { events: [] })).toEqual({ head: 0 })
    const answers = await store.append([
      { session: 'a', events: [note(2), note(3)] },
      { session: 'b', events: [note('b1')] },
      { session: 'a', events: [note(4)] },
    ])
    expect(answers).toEqual([{ head: 3 }, { head: 1 }, { head: 4 }])
    const records = await store.read('a', 0, 100)
    expect(records.map(rec => rec.seq)).toEqual([1, 2, 3, 4])
    expect(values(records)).toEqual(['a made', 2, 3, 4])
    expect(values(await store.read('b', 0, 100))).toEqual(['b1'])
  })

  test('what happened to a message that waited is read as it was written, also beside previews', async () => {
    const store = get()
    await create(store, 'a', { events: [] })
    const about = { ts: TS, run_id: 'run_1', message_id: 'msg_0' }
    const content = [{ type: 'text' as const, text: 'edited' }]
    const events: readonly SessionEvent[] = [
      { ...inputMessage('go'), when_running: 'steer' },
      { type: 'input.changed', ...about, revision: 1, content, when_running: 'queue', place: 0, held: false },
      delta('half'),
      { type: 'input.delivered', ...about, turn: 2 },
      { type: 'input.withdrawn', ...about, by: 'client' },
    ]
    await appendOne(store, { session: 'a', events })
    expect((await store.read('a', 0, 100)).map(rec => rec.ev)).toEqual(events)
  })

  test('appends that arrive at the same time are all stored, in the order of their calls', async () => {
    const store = get()
    await create(store, 'a', { events: [] })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => appendOne(store, { session: 'a', events: [note(i)] })),
    )
    expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => ({ head: i + 1 })))
    expect(values(await store.read('a', 0, 100))).toEqual(Array.from({ length: 50 }, (_, i) => i))
  })

  test('no append overtakes a large one of its session', async () => {
    const store = get()
    await create(store, 'a', { events: [] })
    const large = Array.from({ length: 8 }, (_, i) => note(`${i}`.padEnd(200_000, 'x')))
    const answers = await Promise.all([
      appendOne(store, { session: 'a', events: [note('before')] }),
      appendOne(store, { session: 'a', events: large }),
      appendOne(store, { session: 'a', events: [note('after')] }),
      appendOne(store, { session: 'a', events: large }),
      appendOne(store, { session: 'a', events: [note('last')] }),
    ])
    expect(answers).toEqual([1, 9, 10, 18, 19].map(head => ({ head })))
    const names = values(await store.read('a', 0, 100)).map(value => String(value).replace(/x+$/, ''))
    const digits = ['0', '1', '2', '3', '4', '5', '6', '7']
    expect(names).toEqual(['before', ...digits, 'after', ...digits, 'last'])
  })

  test('a read starts after the given place and returns at most what was asked for', async () => {
    const store = get()
    await create(store, 'a', { events: [1, 2, 3, 4, 5].map(note) })
    expect(values(await store.read('a', 2, 2))).toEqual([3, 4])
    expect(values(await store.read('a', 4, 10))).toEqual([5])
    expect(await store.read('a', 5, 10)).toEqual([])
    expect(await store.read('a', 99, 10)).toEqual([])
    expect(await store.read('a', 0, 0)).toEqual([])
    expect(await store.read('nobody', 0, 10)).toEqual([])
  })

  test('a peek gives what a read gives, or nothing at all', async () => {
    const store = get()
    await create(store, 'a', { events: [1, 2, 3].map(note) })
    await appendOne(store, { session: 'a', events: [note(4), delta('five', 0)] })
    for (const after of [0, 2, 3, 5, 9])
      for (const max of [1, 2, 100]) {
        const atHand = store.peek?.('a', after, max)
        if (atHand) expect(atHand).toEqual(await store.read('a', after, max))
      }
    await store.remove('a')
    expect(store.peek?.('a', 0, 100) ?? []).toEqual([])
  })

  test('events come back exactly as they were given', async () => {
    const store = get()
    const odd = [
      note({ nested: [null, true, 1.5, -7, 'x'], '': { __proto: 1 } }),
      note('NUL \u0000, quote " backslash \\ newline \n separator \u2028 emoji 🦊 half \ud83e'),
      note('a very long text '.repeat(20_000)),
      delta('half a pair \ud83e', 0),
      delta('\udd8a the other half', 13),
    ]
    await create(store, 'a', { events: odd })
    const records = await store.read('a', 0, 100)
    expect(JSON.stringify(records.map(rec => rec.ev))).toBe(JSON.stringify(odd))
  })

  test('one call may hold refused and stored writes; each is judged after those before it', async () => {
    const store = get()
    const answers = await store.append([
      { session: 'a', events: [note('lost')] },
      { session: 'a', create: true, events: [note(1)] },
      { session: 'a', create: true, events: [note('again')] },
      { session: 'a', events: [note(2)], releaseIfHead: 7 },
      { session: 'a', events: [note(3)] },
    ])
    expect(answers).toEqual([
      { missing: 'never' },
      { head: 1 },
      { conflict: 1 },
      { conflict: 1 },
      { head: 2 },
    ])
    expect(values(await store.read('a', 0, 9))).toEqual([1, 3])
  })
}

export function describeCreation(get: Get): void {
  test('a session must be created before anything is appended to it', async () => {
    const store = get()
    expect(await appendOne(store, { session: 'a', events: [note(1)] })).toEqual({ missing: 'never' })
    expect(await create(store, 'a')).toEqual({ head: 1 })
  })

  test('creating an existing session is refused with its head, and changes nothing', async () => {
    const store = get()
    await create(store, 'a', { index: { title: 'first' } })
    const again = await create(store, 'a', {
      events: [note('x')],
      index: { title: 'second' },
      state: 'running',
    })
    expect(again).toEqual({ conflict: 1 })
    expect(await rowOf(store, 'a')).toMatchObject({ head: 1, title: 'first', state: 'idle' })
  })

  test('a removed session answers every write with `deleted`, also an attempt to create it again', async () => {
    const store = get()
    await create(store, 'a')
    expect(await store.remove('a')).toBe(true)
    expect(await appendOne(store, { session: 'a', events: [note(1)] })).toEqual({ missing: 'deleted' })
    expect(await create(store, 'a')).toEqual({ missing: 'deleted' })
    expect(await store.read('a', 0, 10)).toEqual([])
  })

  test('a new session is idle, unowned and dated', async () => {
    const store = get()
    await create(store, 'a', { events: [] })
    const row = await rowOf(store, 'a')
    expect(row).toMatchObject({
      id: 'a',
      head: 0,
      epoch: 0,
      owner: null,
      state: 'idle',
      title: null,
      labels: {},
      wakeAt: null,
    })
    expect(row?.createdAt).toBe(row?.updatedAt)
  })
}

export function describeKeys(get: Get): void {
  test('the second append with a key is answered with the first seq of the first, and writes nothing', async () => {
    const store = get()
    await create(store, 'a')
    expect(await appendOne(store, { session: 'a', key: 'k', events: [note(2), note(3)] })).toEqual({
      head: 3,
    })
    await appendOne(store, { session: 'a', events: [note(4)] })
    const again: Append = {
      session: 'a',
      key: 'k',
      events: [note('x')],
      state: 'running',
      index: { title: 'x' },
    }
    expect(await appendOne(store, again)).toEqual({ dup: 2 })
    expect(await rowOf(store, 'a')).toMatchObject({ head: 4, state: 'idle', title: null })
  })

  test('of simultaneous appends with one key exactly one is stored', async () => {
    const store = get()
    await create(store, 'a', { events: [] })
    const one: Append = { session: 'a', key: 'k', events: [note('once')] }
    const answers = await Promise.all([store.append([one, one]), store.append([one]), store.append([one])])
    expect(answers.flat()).toEqual([{ head: 1 }, { dup: 1 }, { dup: 1 }, { dup: 1 }])
    expect((await rowOf(store, 'a'))?.head).toBe(1)
  })

  test('a key belongs to its session', async () => {
    const store = get()
    await create(store, 'a', { key: 'k' })
    expect(await create(store, 'b', { key: 'k' })).toEqual({ head: 1 })
  })

  test('creating a session again with the key of its creation is a repeat, not a conflict', async () => {
    const store = get()
    await create(store, 'a', { key: 'k' })
    expect(await create(store, 'a', { key: 'k' })).toEqual({ dup: 1 })
  })

  test('a key holds also when its append had no events', async () => {
    const store = get()
    await create(store, 'a')
    expect(await appendOne(store, { session: 'a', key: 'k', events: [], state: 'paused' })).toEqual({
      head: 1,
    })
    expect(await appendOne(store, { session: 'a', key: 'k', events: [note(1)] })).toEqual({ dup: 1 })
  })

  test('a refused append does not use its key up', async () => {
    const store = get()
    await create(store, 'a')
    expect(await appendOne(store, { session: 'a', key: 'k', events: [note(1)], releaseIfHead: 9 })).toEqual({
      conflict: 1,
    })
    expect(await appendOne(store, { session: 'a', key: 'k', events: [note(1)] })).toEqual({ head: 2 })
  })
}
