import { describe, expect, it } from 'vitest'
import { formatBytes, formatCost, formatDuration, formatTokens } from '../../src/view/index.ts'

describe('formats', () => {
  it('writes durations', () => {
    expect(
      [0, 340, 1234, 12_400, 59_999, 185_000, 7_440_000, Number.NaN].map(ms => formatDuration(ms)),
    ).toEqual(['0ms', '340ms', '1.2s', '12s', '1m', '3m 5s', '2h 4m', '0ms'])
    expect(formatDuration(12_000, 'zh-Hans')).toMatch(/12\s?秒/)
  })

  it('writes sizes', () => {
    expect([0, 999, 1000, 1234, 999_999, 34_000_000].map(bytes => formatBytes(bytes))).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '1.2 kB',
      '1 MB',
      '34 MB',
    ])
  })

  it('writes a dash for an unknown cost and zero for a known one', () => {
    expect(formatCost(undefined)).toBe('—')
    expect(formatCost(0)).toBe('$0.0000')
    expect(formatCost(0.0367)).toBe('$0.0367')
    expect(formatCost(12.5)).toBe('$12.50')
  })

  it('formats token numbers briefly', () => {
    expect(formatTokens(566)).toBe('566')
    expect(formatTokens(30_415)).toBe('30.4K')
    expect(formatTokens(30_415, 'zh-Hans')).toBe('3万')
  })
})
