/** Requests per minute of a key across servers. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSharedRate } from '../../src/access/shared-rate.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

const keyOf = (requests_per_minute: number | null) => ({
  key_id: 'k',
  limits: { requests_per_minute, concurrent: null, budget_usd: null },
})

function openNodes(count: number, records = createMemoryRecords()) {
  const clock = { at: 1_000_000 }
  const nodes = Array.from({ length: count }, () => createSharedRate(records, () => new Date(clock.at)))
  /** Requests that were let in, of so many spread over all servers at once. */
  const send = async (requests: number, limit: number): Promise<number> => {
    const all = Array.from({ length: requests }, (_, i) => nodes[i % count]?.take(keyOf(limit)))
    return (await Promise.all(all)).filter(state => state?.wait === undefined).length
  }
  return { clock, nodes, send, records }
}

describe('three servers', () => {
  it('let in 60 of 300 requests at once, and one more each second', async () => {
    const { clock, send } = openNodes(3)
    expect(await send(300, 60)).toBe(60)
    clock.at += 1000
    expect(await send(300, 60)).toBe(1)
    clock.at += 5000
    expect(await send(300, 60)).toBe(5)
    clock.at += 3_600_000
    expect(await send(300, 60)).toBe(60)
  })

  it('are off by a second’s worth each at most', async () => {
    const { send } = openNodes(3)
    expect(await send(5000, 600)).toBe(600)
    const { nodes } = openNodes(3)
    for (const node of nodes) await node.take(keyOf(600))
    // Each holds nine that the others do not get.
    const one = Array.from({ length: 700 }, async () => await nodes[0]?.take(keyOf(600)))
    const inside = (await Promise.all(one)).filter(state => state?.wait === undefined).length
    expect(inside).toBe(600 - 1 - 10 - 10)
  })

  it('write nothing for requests that are too many, and say when to come back', async () => {
    const records = createMemoryRecords()
    let writes = 0
    const update: typeof records.update = async (...args) => {
      writes += 1
      return await records.update(...args)
    }
    const { send, nodes } = openNodes(1, { ...records, update })
    expect(await send(6, 6)).toBe(6)
    expect(await nodes[0]?.take(keyOf(6))).toEqual({ limit: 6, remaining: 0, reset: 60, wait: 10 })
    const before = writes
    expect(await send(1000, 6)).toBe(0)
    expect(writes).toBe(before)
  })

  it('with a clock that is behind add nothing to the bucket', async () => {
    const { clock, send, records } = openNodes(1)
    expect(await send(100, 60)).toBe(60)
    const late = createSharedRate(records, () => new Date(clock.at - 3_600_000))
    expect(await late.take(keyOf(60))).toMatchObject({ remaining: 0, wait: expect.any(Number) })
  })
})

it('says nothing for a key without a limit, and while the records are away', async () => {
  const away = createSharedRate({ update: () => Promise.reject(new Error('away')) }, () => new Date())
  expect(await away.take(keyOf(1))).toBeUndefined()
  expect(await away.take(keyOf(null))).toBeUndefined()
})

describe('a server', () => {
  let server: KeyServer
  beforeEach(async () => {
    server = await startKeyServer()
  })
  afterEach(() => server.close())

  it('says in headers what is left, and when to come back', async () => {
    const key = await server.newKey({ requests_per_minute: 2 })
    const first = await server.as(key, 'GET', '/api/me')
    expect(first.headers.get('ratelimit-limit')).toBe('2')
    expect(first.headers.get('ratelimit-remaining')).toBe('1')
    expect(first.headers.get('ratelimit-reset')).toBe('30')
    expect((await server.as(key, 'GET', '/api/me')).status).toBe(200)
    const refused = await server.as(key, 'GET', '/api/me')
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'too_many_requests' } } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    const free = await server.as(await server.newKey({}), 'GET', '/api/me')
    expect(free.headers.get('ratelimit-limit')).toBeNull()
  })
})
