/** What a request costs, and how long it is. */
import { mergeMessagesUsage } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { costOfModel } from '../../src/cost-of-model.ts'
import { estimateTokens } from '../../src/shared/estimate-tokens.ts'
import { costOf, toCost } from '../../src/shared/usage.ts'
import { request } from '../collect.ts'

const MILLION = 1_000_000
const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
const PRICE = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }

describe('the cost of a request', () => {
  it('prices reads and writes of the cache apart', () => {
    expect(costOf({ ...NONE, input: MILLION }, PRICE)).toBeCloseTo(3)
    expect(costOf({ ...NONE, cache_read: MILLION }, PRICE)).toBeCloseTo(0.3)
    expect(costOf({ ...NONE, cache_write: MILLION }, PRICE)).toBeCloseTo(3.75)
  })

  it('prices what is kept for an hour at its own rate, twice the input price when unknown', () => {
    const usage = { ...NONE, cache_write: 3 * MILLION, cache_write_1h: MILLION }
    expect(costOf(usage, PRICE)).toBeCloseTo(2 * 3.75 + 6)
    expect(costOf(usage, { ...PRICE, cache_write_1h: 7 })).toBeCloseTo(2 * 3.75 + 7)
  })

  it('prices what is kept for twelve hours at its own rate, as any other write when unknown', () => {
    const usage = { ...NONE, cache_write: 3 * MILLION, cache_write_12h: MILLION }
    expect(costOf(usage, PRICE)).toBeCloseTo(3 * 3.75)
    expect(costOf(usage, { ...PRICE, cache_write_12h: 9 })).toBeCloseTo(2 * 3.75 + 9)
  })

  it('is unknown, not zero, when the price or the usage is', () => {
    expect(costOf({ ...NONE, input: 5 }, undefined)).toBeUndefined()
    expect(toCost(NONE, PRICE)).toEqual({})
    expect(toCost(undefined, PRICE)).toEqual({})
    expect(costOfModel('anthropic', 'claude-unheard-of', { ...NONE, input: 5 })).toBeUndefined()
    expect(costOfModel('anthropic', 'claude-sonnet-4-5', { ...NONE, input: MILLION })).toBeCloseTo(3)
  })
})

describe("the provider's usage", () => {
  it('reports writes for an hour separately, and keeps them when a later event omits them', () => {
    const first = mergeMessagesUsage(NONE, {
      input_tokens: 9,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 },
    })
    expect(first).toMatchObject({ input: 9, cache_write: 100, cache_write_1h: 60 })
    expect(mergeMessagesUsage(first, { output_tokens: 3 })).toEqual({ ...first, output: 3 })
    expect(mergeMessagesUsage(NONE, { input_tokens: 1 })).not.toHaveProperty('cache_write_1h')
  })
})

describe('an estimate', () => {
  it('grows with the text, weighs other scripts more, and calls itself one', () => {
    const short = estimateTokens(request('hello'))
    const long = estimateTokens(request('hello '.repeat(1000)))
    const chinese = estimateTokens(request('你好'.repeat(500)))
    const latin = estimateTokens(request('ab'.repeat(500)))
    expect(short.is_estimate).toBe(true)
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 1000)
    expect(chinese.input_tokens).toBeGreaterThan(latin.input_tokens * 2)
  })

  it('estimates media by piece, not by their bytes', () => {
    const data = 'A'.repeat(1_000_000)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const
    const counted = estimateTokens(request('x', { messages: [{ role: 'user', content: [image] }] }))
    expect(counted.input_tokens).toBeLessThan(3000)
    expect(counted.input_tokens).toBeGreaterThan(1000)
  })
})
