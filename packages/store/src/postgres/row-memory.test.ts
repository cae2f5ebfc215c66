import { expect, test } from 'vitest'
import { packEvents } from '../pack.ts'
import { createRowMemory } from './row-memory.ts'

const event = (n: number) =>
  ({ type: 'block.delta', ts: '2026-01-01T00:00:00.000Z', offset: n, text: 'x' }) as never
const json = (n: number): string => JSON.stringify([event(n)])

test('a row that is read again is not parsed again, folded or not', () => {
  const memory = createRowMemory()
  const folded = Buffer.from(packEvents([event(0), event(1)])).toString('base64')
  expect(memory.eventsOf('1:a', true, folded)).toEqual([event(0), event(1)])
  expect(memory.eventsOf('1:a', true, folded)).toBe(memory.eventsOf('1:a', true, folded))
  expect(memory.eventsOf('1:b', false, json(7))).toBe(memory.eventsOf('1:b', false, json(7)))
})

test('a row with another text is another row, whatever it is called', () => {
  const memory = createRowMemory()
  expect(memory.eventsOf('1:a', false, json(1))).toEqual([event(1)])
  expect(memory.eventsOf('1:a', false, json(2))).toEqual([event(2)])
})

test('only so much is kept: the row that came first goes first', () => {
  const memory = createRowMemory(json(1).length * 2)
  const first = memory.eventsOf('1:a', false, json(1))
  const second = memory.eventsOf('2:a', false, json(2))
  memory.eventsOf('3:a', false, json(3))
  expect(memory.eventsOf('2:a', false, json(2))).toBe(second)
  expect(memory.eventsOf('1:a', false, json(1))).not.toBe(first)
})

test('a row that cannot be understood throws every time', () => {
  const memory = createRowMemory()
  for (let i = 0; i < 2; i++) expect(() => memory.eventsOf('1:a', false, '[')).toThrow(SyntaxError)
})
