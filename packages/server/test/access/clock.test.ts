/** A clock that jumps: keys die and limits refill by the time that passes, not by what the clock says. */
import { createMemoryRecords } from '@toolwire/store'
import { describe, expect, it, vi } from 'vitest'
import { createKey, keyIdOf, revokeKey } from '../../src/access/api-key.ts'
import { createKeyBook } from '../../src/access/key-registry.ts'
import { createLimiter } from '../../src/access/limiter.ts'
import { startKeyServer } from './key-server.ts'

const DAY = 86_400_000
const LIMITS = { requests_per_minute: null, concurrent: null, budget_usd: null }
const WANTED = { name: 'k', owner: 'alpha', scopes: ['read'], expires_at: null, workspace: null, ...LIMITS }

describe('a clock that is set back by a day', () => {
  it('keeps no revoked key alive', async () => {
    const records = createMemoryRecords()
    let clock = Date.now()
    let ticks = 0
    const book = createKeyBook({ apiKeys: [], records, now: () => new Date(clock), ticks: () => ticks })
    const { key } = await createKey(records, { ...WANTED, scopes: ['read'] }, new Date(clock))
    expect(await book.find(key)).toMatchObject({ owner: 'alpha' })
    await revokeKey(records, keyIdOf(key) ?? '', new Date(clock))
    clock -= DAY
    ticks += 1500
    expect(await book.find(key)).toBeUndefined()
  })

  it('does not affect how long a key is cached, also without a configured clock', async () => {
    const records = createMemoryRecords()
    const book = createKeyBook({ apiKeys: [], records, now: () => new Date() })
    const { key } = await createKey(records, { ...WANTED, scopes: ['read'] }, new Date())
    expect(await book.find(key)).toMatchObject({ owner: 'alpha' })
    await revokeKey(records, keyIdOf(key) ?? '', new Date())
    const later = performance.now() + 1500
    const ticks = vi.spyOn(performance, 'now').mockImplementation(() => later)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY })
    try {
      expect(await book.find(key)).toBeUndefined()
    } finally {
      vi.useRealTimers()
      ticks.mockRestore()
    }
  })

  it('notices the first key that is made', async () => {
    const records = createMemoryRecords()
    let clock = Date.now()
    let ticks = 0
    const book = createKeyBook({ apiKeys: [], records, now: () => new Date(clock), ticks: () => ticks })
    expect(await book.required()).toBe(false)
    await createKey(records, { ...WANTED, scopes: ['read'] }, new Date(clock))
    clock -= DAY
    ticks += 1500
    expect(await book.required()).toBe(true)
  })

  it('locks no client out of the requests of a minute', async () => {
    const server = await startKeyServer()
    try {
      const key = await server.newKey({ requests_per_minute: 5 })
      const status = async (): Promise<number> => (await server.as(key, 'GET', '/api/sessions')).status
      expect(await status()).toBe(200)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY })
      expect(await status()).toBe(200)
    } finally {
      vi.useRealTimers()
      await server.close()
    }
  })
})

it('a request that is counted out twice frees one place', () => {
  const limiter = createLimiter(() => 0)
  const limits = { ...LIMITS, concurrent: 2 }
  const principal = {
    owner: 'a',
    key_id: 'k',
    scopes: new Set<never>(),
    limits,
    workspace: null,
    unbounded: false,
  }
  const leave = limiter.enter(principal)
  limiter.enter(principal)
  leave()
  leave()
  limiter.enter(principal)
  expect(() => limiter.enter(principal)).toThrow('2 requests at once')
})

it('requests refill steadily, up to a minute’s worth', () => {
  let at = 0
  const limiter = createLimiter(() => at)
  const principal = {
    owner: 'a',
    key_id: 'k',
    scopes: new Set<never>(),
    limits: { ...LIMITS, requests_per_minute: 2 },
    workspace: null,
    unbounded: false,
  }
  const enter = (): string => {
    try {
      limiter.enter(principal)()
      return 'in'
    } catch (error) {
      return JSON.stringify((error as { details?: unknown }).details)
    }
  }
  expect([enter(), enter(), enter()]).toEqual(['in', 'in', '{"retry_after":30}'])
  at += 29_999
  expect(enter()).toBe('{"retry_after":1}')
  at += 1
  expect(enter()).toBe('in')
  at += DAY
  expect([enter(), enter(), enter()]).toEqual(['in', 'in', '{"retry_after":30}'])
})
