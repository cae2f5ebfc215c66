/** Every part of the benchmark, as small as it can be: that it runs to its end and tells figures of the product. */
import { describe, expect, it } from 'vitest'
import { PARTS } from '../part.ts'
import { withMeasurement } from '../performance-page.ts'
import { median, quantile, ratio, spread } from '../statistics.ts'

/** Needs a browser, and the tests of the web app cover what it drives. */
const ELSEWHERE = new Set(['web'])
const SIZE = { quick: true, rounds: 1, names: ['toolwire', 'plain node:http proxy'] }

describe('a smoke run', () => {
  for (const { name, run } of PARTS.filter(part => !ELSEWHERE.has(part.name)))
    it(`of ${name} ends with a table of figures`, async () => {
      const markdown = await run(SIZE)
      expect(markdown).toMatch(/^\|.*\d.*\|$/m)
      expect(markdown).not.toContain('failed')
      expect(markdown).not.toContain('NaN')
    })
})

describe('statistics', () => {
  it('tell the median with the least and the most', () => {
    expect(spread([3, 1, 2])).toBe('2.0 (1.0–3.0)')
    expect(spread([4])).toBe('4.0')
    expect(spread([])).toBe('–')
  })
  it('tell how many times the base something is', () => {
    expect(ratio([20, 30, 40], [10])).toBe('3.0×')
    expect(ratio([1], [])).toBe('–')
  })
  it('find a share of the samples whatever their order', () => {
    expect(quantile([5, 4, 3, 2, 1], 0.99)).toBe(5)
    expect(median([9, 1, 5])).toBe(5)
  })
})

describe('the page', () => {
  const measured = { name: 'relay', title: 'Relay', markdown: '| 1 |', setting: 'a machine' }
  it('gets a section at its end, and the same one renewed after that', () => {
    const once = withMeasurement('# Performance\nprose\n', measured)
    const twice = withMeasurement(`${once}\nmore prose\n`, { ...measured, markdown: '| 2 |' })
    expect(twice).toContain('prose')
    expect(twice).toContain('more prose')
    expect(twice).toContain('| 2 |')
    expect(twice).not.toContain('| 1 |')
    expect(twice.match(/## Relay/g)).toHaveLength(1)
  })
})
