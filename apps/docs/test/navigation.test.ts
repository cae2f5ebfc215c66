import { expect, test } from 'vitest'
import { SECTIONS } from '../src/navigation.ts'
import { isStale, listPages, sourceOf } from '../src/pages.ts'

const placed = SECTIONS.flatMap(section => section.pages)
const english = listPages().filter(page => !page.startsWith('zh/'))
const chinese = listPages().filter(page => page.startsWith('zh/'))

test('every page has one place in the navigation: add missing ones to apps/docs/src/navigation.ts', () => {
  expect(english.filter(page => !placed.includes(page))).toEqual([])
  expect(placed.filter((page, index) => placed.indexOf(page) !== index)).toEqual([])
})

test('the navigation names only pages that exist', () => {
  expect(placed.filter(page => !english.includes(page))).toEqual([])
})

test('a page and a text from elsewhere may have the same name', () => {
  expect([sourceOf('python'), sourceOf('repository/python')]).toEqual([
    'docs/python.md',
    'clients/python/README.md',
  ])
})

test('every Chinese page has an English page, and says which state of it was translated', () => {
  expect(chinese.length).toBeGreaterThan(0)
  expect(chinese.filter(page => !english.includes(page.replace('zh/', '')))).toEqual([])
  for (const page of chinese) expect(typeof isStale(page)).toBe('boolean')
})
