import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRowMemory } from './row-memory.ts'

const records = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ seq: from + i, epoch: 1, ev: { type: 'x' } as never }))
const seqs = (found: readonly { readonly seq: number }[]): readonly number[] => found.map(rec => rec.seq)

test('what was kept is read from any place, across rows, up to the first gap', () => {
  const memory = createRowMemory()
  memory.keep('a', records(4, 6), 1)
  memory.keep('a', records(1, 3), 1)
  memory.keep('a', records(9, 9), 1)
  expect(seqs(memory.read('a', 0, 100))).toEqual([1, 2, 3, 4, 5, 6])
  expect(seqs(memory.read('a', 1, 3))).toEqual([2, 3, 4])
  expect(seqs(memory.read('a', 8, 3))).toEqual([9])
  expect(memory.read('a', 6, 3)).toEqual([])
  expect(memory.read('b', 0, 3)).toEqual([])
})

test('a folded row takes the place of those that it was made of', () => {
  const memory = createRowMemory(100)
  memory.keep('a', records(1, 2), 40)
  memory.keep('a', records(3, 4), 40)
  memory.keep('a', records(1, 4), 50)
  memory.keep('a', records(5, 5), 50)
  expect(seqs(memory.read('a', 0, 100))).toEqual([1, 2, 3, 4, 5])
})

test('only so much is kept: what was not used for longest goes first, and what is larger than all is not kept', () => {
  const memory = createRowMemory(100)
  memory.keep('a', records(1, 1), 50)
  memory.keep('a', records(2, 2), 50)
  memory.read('a', 0, 1)
  memory.keep('b', records(1, 1), 50)
  expect(seqs(memory.read('a', 0, 10))).toEqual([1])
  expect(memory.read('a', 1, 10)).toEqual([])
  expect(seqs(memory.read('b', 0, 10))).toEqual([1])
  memory.keep('c', records(1, 1), 101)
  expect(memory.read('c', 0, 10)).toEqual([])
  expect(seqs(memory.read('b', 0, 10))).toEqual([1])
})

test('a removed session is forgotten, and everything when the history is another one', () => {
  const memory = createRowMemory(100)
  memory.keep('a', records(1, 1), 60)
  memory.keep('b', records(1, 1), 40)
  memory.drop('a')
  expect(memory.read('a', 0, 1)).toEqual([])
  memory.keep('c', records(1, 1), 60)
  expect(seqs(memory.read('b', 0, 1))).toEqual([1])
  memory.clear()
  expect([...memory.read('b', 0, 1), ...memory.read('c', 0, 1)]).toEqual([])
})

test('whatever was kept and forgotten, what is read is the log without a gap, and no more than was asked for', () => {
  const row = fc.record({
    session: fc.constantFrom('a', 'b'),
    from: fc.integer({ min: 1, max: 30 }),
    n: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 40 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 20 }),
      (rows, after, max) => {
        const memory = createRowMemory(40)
        for (const { session, from, n } of rows) {
          memory.keep(session, records(from, from + n - 1), n)
          const found = seqs(memory.read(session, after, max))
          expect(found).toEqual(found.map((_, i) => after + 1 + i))
          expect(found.length).toBeLessThanOrEqual(max)
          expect(seqs(memory.read(session, from - 1, n))).toHaveLength(n)
        }
      },
    ),
  )
})
