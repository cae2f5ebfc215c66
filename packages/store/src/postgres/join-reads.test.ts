import { expect, test } from 'vitest'
import { joinReads } from './join-reads.ts'

const range = (session: string, after: number, upTo: number) => ({ session, after, upTo })

test('reads of one session that touch are one, others stay apart, and every one is part of one', () => {
  const ranges = [
    range('a', 10, 20),
    range('b', 0, 5),
    range('a', 0, 10),
    range('a', 3, 5),
    range('a', 21, 30),
  ]
  const joined = joinReads(ranges)
  expect(joined.map(({ session, after, upTo }) => [session, after, upTo])).toEqual([
    ['a', 0, 20],
    ['a', 21, 30],
    ['b', 0, 5],
  ])
  expect(joined.flatMap(({ parts }) => parts)).toHaveLength(ranges.length)
  expect(new Set(joined.flatMap(({ parts }) => parts))).toEqual(new Set(ranges))
})
