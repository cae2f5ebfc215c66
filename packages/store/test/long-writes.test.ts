/** Writes of very many events at once: read page by page for what a page costs, with turns of the event loop between. */

import { initial } from '@toolwire/core'
import { expect, test } from 'vitest'
import { countWork } from '../../core/test/count-work.ts'
import { mostPerTurn } from '../../core/test/turns.ts'
import { sizeOf } from '../src/checkpoints/state-memory.ts'
import { note } from './events.ts'
import { sqliteAtHand } from './sqlite-at-hand.ts'

const hand = sqliteAtHand()
const PAGE = 500
const EVENTS = 20_000

async function readAll(): Promise<readonly number[]> {
  const seqs: number[] = []
  for (;;) {
    const records = await hand.store.read('a', seqs.length, PAGE)
    seqs.push(...records.map(rec => rec.seq))
    if (records.length < PAGE) return seqs
  }
}

const ALL = Array.from({ length: EVENTS }, (_, n) => n + 1)
const write = async (): Promise<number> => {
  const events = ALL.map(n => note(n))
  await hand.store.append([{ session: 'a', create: true, events }])
  // What is read is on disk, not in memory.
  await hand.reopen()
  return JSON.stringify(events).length
}

test('a page of a long write costs what the page holds', async () => {
  const size = await write()
  const { chars, result } = await countWork(readAll)
  expect(result).toEqual(ALL)
  expect(chars).toBeLessThan(3 * size)
})

test('a reader of a long log yields to other work', async () => {
  await write()
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await readAll()
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(EVENTS / PAGE)
})

const LARGE = 300_000
const large = Array.from({ length: 20 }, (_, n) => note(`${n}`.padEnd(LARGE, '"')))
const SIZE = JSON.stringify(large).length

test('a write of large events is written and read in many turns of the event loop', async () => {
  const write = () => hand.store.append([{ session: 'a', create: true, events: large }])
  expect(await mostPerTurn(write)).toBeLessThan(SIZE / 5)
  await hand.reopen()
  let events: readonly unknown[] = []
  const read = async (): Promise<void> => {
    events = (await hand.store.read('a', 0, 100)).map(({ ev }) => ev)
  }
  expect(await mostPerTurn(read)).toBeLessThan(SIZE / 3)
  expect(events).toEqual(large)
})

test('the size of a state is measured without writing it', async () => {
  const messages = large.map(({ value }) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text: String(value) }],
  }))
  const state = { ...initial(), messages }
  let size = 0
  const measure = async (): Promise<void> => {
    size = sizeOf(state)
  }
  expect(await mostPerTurn(measure)).toBe(0)
  expect(size).toBeGreaterThan(large.length * LARGE)
  expect(size).toBeLessThan(1.1 * large.length * LARGE)
})
