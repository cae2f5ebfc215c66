import { DatabaseSync } from 'node:sqlite'
import type { SessionEvent } from '@toolwire/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { packEvents } from '../pack.ts'
import { MIGRATIONS } from './migrations.ts'
import type { RecentEntry } from './recent.ts'
import { createRecordReader } from './record-reader.ts'

let db: DatabaseSync
beforeEach(() => {
  db = new DatabaseSync(':memory:')
  db.exec(MIGRATIONS.join(';'))
})
afterEach(() => db.close())

function store({ session, seq, n, epoch, w, json }: RecentEntry): void {
  db.prepare('insert into chunk(session, seq, n, epoch, w, data) values(?, ?, ?, ?, ?, ?)').run(
    session,
    seq,
    n,
    epoch,
    w,
    json,
  )
}
const entry = (seq: number, n: number): RecentEntry => {
  const json = JSON.stringify(Array.from({ length: n }, (_, i) => ({ place: seq + i })))
  return { session: 1, seq, n, epoch: 1, w: seq, json }
}

test('what was settled a moment ago, and what was not, is seen once and in order, at every cursor', () => {
  const unsettled = [entry(3, 2), entry(5, 1), entry(6, 3)]
  store(entry(1, 2))
  const { readRows } = createRecordReader(db)
  const all = [1, 2, 3, 4, 5, 6, 7, 8]
  for (let settled = 0; settled <= unsettled.length; settled++) {
    for (let after = 0; after <= 8; after++)
      for (const max of [1, 3, 100]) {
        const records = readRows({ num: 1, after, max, unsettled }).toRecords()
        expect(records.map(rec => rec.seq)).toEqual(all.slice(after, after + max))
        expect(records.map(({ ev }) => Number((ev as unknown as { place: number }).place))).toEqual(
          all.slice(after, after + max),
        )
      }
    const next = unsettled[settled]
    if (next) store(next)
  }
})

test('a packed row is read in its current form, also when it was rewritten since the last read', () => {
  const write = (text: string) => {
    const events = [1, 2, 3].map(n => ({ type: 'note', name: `${text}${n}` })) as unknown as SessionEvent[]
    db.prepare('insert or replace into chunk(session, seq, n, epoch, w, data) values(1, 1, 3, 1, 1, ?)').run(
      packEvents(events),
    )
  }
  const { readRows } = createRecordReader(db)
  const names = () =>
    [0, 1, 2].flatMap(after =>
      readRows({ num: 1, after, max: 1, unsettled: [] })
        .toRecords()
        .map(({ ev }) => (ev as { name?: string }).name),
    )
  write('a')
  expect(names()).toEqual(['a1', 'a2', 'a3'])
  write('b')
  expect(names()).toEqual(['b1', 'b2', 'b3'])
})
