import { expect, test } from 'vitest'
import type { Rec, SessionLog } from '../src/index.ts'
import { readPages } from '../src/index.ts'

const record = (seq: number): Rec => ({
  seq,
  epoch: 1,
  ev: { type: 'note', ts: '2026-01-01T00:00:00.000Z', name: 'n', value: seq },
})

/** A log of `length` records; notes what was asked of it. */
function logOf(length: number): { log: Pick<SessionLog, 'read'>; asked: (readonly [number, number])[] } {
  const asked: (readonly [number, number])[] = []
  const log = {
    read: async (_session: string, after: number, max: number) => {
      asked.push([after, max])
      const count = Math.max(0, Math.min(max, length - after))
      return Array.from({ length: count }, (_, n) => record(after + n + 1))
    },
  }
  return { log, asked }
}

async function lengths(
  pages: AsyncIterable<readonly Rec[]>,
): Promise<readonly (readonly [number, number])[]> {
  const found: (readonly [number, number])[] = []
  for await (const page of pages) found.push([page[0]?.seq ?? 0, page.at(-1)?.seq ?? 0])
  return found
}

test('reads every record once, in order', async () => {
  const { log } = logOf(2500)
  expect(await lengths(readPages(log, 's', { after: 0 }))).toEqual([
    [1, 1000],
    [1001, 2000],
    [2001, 2500],
  ])
})

test('asks once more after a full page, and gives no empty page', async () => {
  const { log, asked } = logOf(1000)
  expect(await lengths(readPages(log, 's', { after: 0 }))).toEqual([[1, 1000]])
  expect(asked).toEqual([
    [0, 1000],
    [1000, 1000],
  ])
})

test('begins after a position and ends at a head', async () => {
  const { log, asked } = logOf(5000)
  expect(await lengths(readPages(log, 's', { after: 1200, head: 2300 }))).toEqual([
    [1201, 2200],
    [2201, 2300],
  ])
  expect(asked).toEqual([
    [1200, 1000],
    [2200, 100],
  ])
})

test('ends when the log is shorter than the head', async () => {
  const { log } = logOf(10)
  expect(await lengths(readPages(log, 's', { after: 0, head: 50 }))).toEqual([[1, 10]])
  expect(await lengths(readPages(logOf(0).log, 's', { after: 0 }))).toEqual([])
})
