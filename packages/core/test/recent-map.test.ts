import { expect, test } from 'vitest'
import { RecentMap } from '../src/recent-map.ts'

test('beyond the limit the entry goes that was set longest ago', () => {
  const dropped: number[] = []
  const map = new RecentMap<string, number>(2, value => dropped.push(value))
  map.set('a', 1).set('b', 2).set('c', 3)
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ])
  expect(dropped).toEqual([1])
})

test('an entry that is set again is the newest, and is kept once', () => {
  const map = new RecentMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map.keys()]).toEqual(['a', 'c'])
  expect(map.get('a')).toBe(3)
})

test('taking an entry removes it, without calling it dropped', () => {
  const dropped: number[] = []
  const map = new RecentMap<string, number>(2, value => dropped.push(value))
  map.set('a', 1)
  expect(map.take('a')).toBe(1)
  expect(map.take('a')).toBeUndefined()
  expect(map.size).toBe(0)
  expect(dropped).toEqual([])
})
