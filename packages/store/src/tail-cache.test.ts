import type { Rec } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createTailCache } from './tail-cache.ts'

const records = (from: number, to: number): readonly Rec[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    seq: from + i,
    epoch: 1,
    ev: { type: 'note', ts: '', name: 'n', value: from + i },
  }))
const seqs = (read: readonly Rec[] | undefined): readonly number[] | undefined => read?.map(rec => rec.seq)

test('a tail answers from its first record on and says when it does not reach back far enough', () => {
  const tails = createTailCache()
  expect(tails.read('a', 0, 10)).toBe(undefined)
  tails.push('a', records(5, 7), 30)
  tails.push('a', records(8, 8), 10)
  expect(tails.read('a', 3, 10)).toBe(undefined)
  expect(seqs(tails.read('a', 4, 10))).toEqual([5, 6, 7, 8])
  expect(seqs(tails.read('a', 6, 1))).toEqual([7])
  expect(seqs(tails.read('a', 8, 10))).toEqual([])
  expect(seqs(tails.read('a', 20, 10))).toEqual([])
})

test('a tail never holds a gap: records that do not follow on start a new one', () => {
  const tails = createTailCache()
  tails.push('a', records(1, 3), 30)
  tails.push('a', records(9, 9), 10)
  expect(tails.read('a', 2, 10)).toBe(undefined)
  expect(seqs(tails.read('a', 8, 10))).toEqual([9])
})

test('a session that grows too large loses its oldest records first', () => {
  const tails = createTailCache({ total: 1000, perSession: 100 })
  for (let seq = 1; seq <= 50; seq++) tails.push('a', records(seq, seq), 10)
  expect(tails.read('a', 0, 100)).toBe(undefined)
  expect(seqs(tails.read('a', 48, 100))).toEqual([49, 50])
})

test('when all together are too large, the sessions that are not written any more go first', () => {
  const tails = createTailCache({ total: 100, perSession: 100 })
  for (const id of ['a', 'b', 'c', 'd']) tails.push(id, records(1, 1), 20)
  for (let seq = 2; seq <= 5; seq++) tails.push('a', records(seq, seq), 20)
  expect(seqs(tails.read('a', 4, 10))).toEqual([5])
  const left = ['a', 'b', 'c', 'd'].filter(id => tails.read(id, 1, 10) !== undefined)
  expect(left.length).toBeLessThan(4)
})

test('a dropped session is not answered any more', () => {
  const tails = createTailCache()
  tails.push('a', records(1, 1), 10)
  tails.drop('a')
  expect(tails.read('a', 0, 10)).toBe(undefined)
})
