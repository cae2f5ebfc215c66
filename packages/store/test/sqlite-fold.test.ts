/** Folding and settling: where events lie changes, what is read does not. */
import { DatabaseSync } from 'node:sqlite'
import type { SessionEvent } from '@toolwire/core'
import { expect, test } from 'vitest'
import { delta, message, note, turnCompleted } from './events.ts'
import { sqliteAtHand } from './sqlite-at-hand.ts'

const hand = sqliteAtHand()

/** Streams as an owner does, one append after the other, and leaves the session claimed. Returns the epoch. */
async function stream(id: string, events: readonly SessionEvent[]): Promise<number> {
  const [claimed] = await hand.store.claim({ node: 'n', ttlMs: 10_000, max: 1, session: id })
  const epoch = claimed?.epoch ?? 0
  for (const [i, event] of events.entries())
    await hand.store.append([{ session: id, as: { epoch, w: i + 1 }, events: [event] }])
  return epoch
}

async function readAll(id: string): Promise<readonly SessionEvent[]> {
  const records = await hand.store.read(id, 0, 100_000)
  expect(records.map(rec => rec.seq)).toEqual(records.map((_, i) => i + 1))
  return records.map(rec => rec.ev)
}

function inspect(sql: string): readonly Record<string, unknown>[] {
  const db = new DatabaseSync(hand.folder.file, { readOnly: true })
  const rows = db.prepare(sql).all()
  db.close()
  return rows
}

test('an ended message lies in one packed row, from which every record is read exactly, at every cursor', async () => {
  const events = message('msg_1', 300)
  await hand.store.append([{ session: 'a', create: true, events: [] }])
  await stream('a', events)
  await hand.reopen()
  expect((await hand.store.stats()).rows).toBe(1)
  expect(JSON.stringify(await readAll('a'))).toBe(JSON.stringify(events))
  for (let after = 0; after < events.length; after += 7) {
    const records = await hand.store.read('a', after, 3)
    expect(records).toEqual(
      events.slice(after, after + 3).map((ev, i) => ({ seq: after + 1 + i, epoch: 1, ev })),
    )
  }
})

test('an aborted message is folded too', async () => {
  const events: readonly SessionEvent[] = [
    ...message('msg_1', 50).slice(0, -2),
    { type: 'message.aborted', ts: '2026-03-01T10:00:09.000Z', message_id: 'msg_1', reason: 'crash' },
  ]
  await hand.store.append([{ session: 'a', create: true, events: [] }])
  await stream('a', events)
  await hand.reopen()
  expect((await hand.store.stats()).rows).toBe(1)
  expect(await readAll('a')).toEqual(events)
})

test('folding keeps epochs apart and keys in force', async () => {
  await hand.store.append([{ session: 'a', create: true, key: 'made', events: [note(1)] }])
  await stream('a', [delta('x'), delta('y', 1)])
  await hand.store.append([{ session: 'a', key: 'input', events: [note('in')] }])
  await hand.reopen()
  await stream('a', [delta('z', 2), turnCompleted('msg_1')])
  await hand.reopen()
  expect((await hand.store.read('a', 0, 10)).map(rec => rec.epoch)).toEqual([0, 1, 1, 1, 2, 2])
  expect(await hand.store.append([{ session: 'a', key: 'input', events: [note('again')] }])).toEqual([
    { dup: 4 },
  ])
  expect(await hand.store.append([{ session: 'a', key: 'made', create: true, events: [] }])).toEqual([
    { dup: 1 },
  ])
  expect((await hand.store.stats()).rows).toBe(3)
})

test('settling keeps the previews of two owners apart', async () => {
  await hand.store.append([{ session: 'a', create: true, events: [] }])
  for (const node of ['n1', 'n2']) {
    const [claimed] = await hand.store.claim({ node, ttlMs: 10_000, max: 1, session: 'a' })
    const epoch = claimed?.epoch ?? 0
    await hand.store.append([{ session: 'a', as: { epoch, w: 1 }, events: [delta(node)] }])
  }
  await hand.reopen()
  expect((await hand.store.read('a', 0, 10)).map(rec => rec.epoch)).toEqual([1, 2])
})

test('reads while rows are settled and folded see every event once, in order', async () => {
  const events = message('msg_1', 400)
  await hand.store.append([{ session: 'a', create: true, events: [] }])
  await stream('a', events.slice(0, 200))
  // Opened again, the past is no longer in memory: these reads go to the database.
  await hand.reopen()
  await stream('a', events.slice(200))
  const isFolded = (): boolean => inspect('select count(*) as n from chunk')[0]?.['n'] === 2
  let reads = 0
  for (let folded = false; !folded; reads++) {
    folded = isFolded()
    expect(await readAll('a')).toEqual(events)
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(reads).toBeGreaterThan(0)
})

test('the past of a session is read whole while its present is not yet settled', async () => {
  await hand.store.append([{ session: 'a', create: true, events: [note(1)] }])
  await stream('a', [delta('2'), delta('3', 1)])
  await hand.reopen()
  const epoch = await stream('a', [delta('4'), note(5), delta('6', 1)])
  expect(epoch).toBe(2)
  expect(inspect('select max(seq + n - 1) as stored from chunk')[0]?.['stored']).toBe(5)
  expect((await hand.store.read('a', 0, 100)).map(rec => rec.seq)).toEqual([1, 2, 3, 4, 5, 6])
  expect((await hand.store.read('a', 1, 3)).map(rec => rec.seq)).toEqual([2, 3, 4])
  expect((await hand.store.list({ limit: 1 })).items[0]?.head).toBe(6)
})

test('a removed session leaves nothing behind but its tombstone', async () => {
  const index = { title: 'title', text: 'text' }
  await hand.store.append([
    { session: 'a', create: true, key: 'k', events: [note(1)], index },
    { session: 'b', create: true, events: [] },
  ])
  await stream('a', message('msg_1', 20))
  await stream('a', [])
  await stream('b', [delta('kept')])
  const epoch = (await hand.store.list({ ids: ['a'], limit: 1 })).items[0]?.epoch ?? 0
  await hand.store.append([{ session: 'a', as: { epoch, w: 24 + 1 }, events: [delta('unsettled')] }])
  await hand.store.remove('a')
  await hand.store.close()
  for (const table of ['chunk', 'search_doc', 'input_key', 'session', 'recent'])
    expect([table, inspect(`select count(*) as n from ${table}`)[0]?.['n']]).toEqual([
      table,
      Number(['chunk', 'session'].includes(table)),
    ])
  expect(inspect('select id from tombstone')).toEqual([{ id: 'a' }])
  await hand.reopen()
  expect(await readAll('b')).toEqual([delta('kept')])
})

test("an owner's repeat is recognised after opening again, whether it was a fact or a preview", async () => {
  await hand.store.append([{ session: 'a', create: true, events: [] }])
  const epoch = await stream('a', [note(1), delta('2')])
  await hand.reopen()
  const repeat = { session: 'a', as: { epoch, w: 2 }, events: [delta('2')] }
  expect(await hand.store.append([repeat])).toEqual([{ head: 2 }])
  expect(await hand.store.append([{ ...repeat, as: { epoch, w: 3 }, events: [note(3)] }])).toEqual([
    { head: 3 },
  ])
})
