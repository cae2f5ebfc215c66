import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { MIGRATIONS } from './migrations.ts'
import type { SessionWrite } from './protocol.ts'
import { createWriter } from './writer.ts'

function openEmpty(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.exec(MIGRATIONS.join(';'))
  return db
}
const synchronous = (db: DatabaseSync): unknown => db.prepare('pragma synchronous').get()?.['synchronous']
const flush = { type: 'flush', chunks: [], sessions: [] } as const
const chunks = [{ session: 1, seq: 1, n: 1, epoch: 1, w: null, json: '[{}]' }]
const session = (num: number): SessionWrite => ({
  num,
  created: { id: 'a', at: 1 },
  head: 0,
  epoch: 0,
  wseq: 0,
  whead: 0,
  owner: null,
  state: 'idle',
  wakeAt: null,
  updatedAt: 1,
  texts: [],
  keys: [],
})

test('a commit waits for the disk when it holds a fact, and only then', () => {
  const db = openEmpty()
  const writer = createWriter(db)
  writer.run({ ...flush, durable: true })
  expect(synchronous(db)).toBe(2)
  writer.run({ ...flush, durable: false })
  expect(synchronous(db)).toBe(1)
  writer.run({ ...flush, durable: true })
  expect(synchronous(db)).toBe(2)
})

test('a request that fails half-way leaves nothing, and the next one works', () => {
  const db = openEmpty()
  const writer = createWriter(db)
  const broken = { ...flush, durable: true, chunks, sessions: [session(1), session(2)] }
  expect(() => writer.run(broken)).toThrow('UNIQUE')
  expect(
    db.prepare('select (select count(*) from chunk) + (select count(*) from session) as n').get(),
  ).toEqual({ n: 0 })
  writer.run({ ...flush, durable: true, sessions: [session(1)] })
  expect(db.prepare('select id from session').all()).toEqual([{ id: 'a' }])
})
