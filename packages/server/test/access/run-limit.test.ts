/** Whose work a run is: what it costs and the place that it takes are of the key that began it. */
import { type Facts, NO_FACTS, type Store } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf } from '../../src/access/api-key.ts'
import type { Principal } from '../../src/access/principal.ts'
import { createRunLimit } from '../../src/access/run-limit.ts'
import { createSpendMeter, type SpendMeter } from '../../src/access/spend-meter.ts'
import { readSpending } from '../../src/access/spending.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

const CONFIGURED = 'a-key-of-the-settings'
let server: KeyServer
let meter: SpendMeter
beforeEach(async () => {
  server = await startKeyServer(
    { apiKeys: [CONFIGURED] },
    { observers: [(write, answer, ms) => meter.observe(write, answer, ms)] },
  )
  meter = createSpendMeter(server.store, server.records, error => {
    throw error
  })
})
afterEach(() => server.close())

const ONE_AT_ONCE: Pick<Principal, 'key_id' | 'limits'> = {
  key_id: 'k',
  limits: { requests_per_minute: null, concurrent: 1, budget_usd: null },
}

const newSession = async (key: string): Promise<string> =>
  (await server.as(key, 'POST', '/api/sessions', {})).body.id
/** Says something and hears the answer out. */
async function say(key: string, session_id: string, message: string): Promise<number> {
  const answer = await server.chat({ session_id, message }, { authorization: `Bearer ${key}` })
  await answer.text()
  return answer.status
}
const turns = async (key: string): Promise<number> => {
  await server.settled()
  await meter.settled()
  return (await readSpending(server.records, keyIdOf(key) ?? '')).unpriced_turns
}

describe('what a run costs', () => {
  it('is paid by the key that spoke, not by the key that made the session', async () => {
    const [maker, speaker] = [await server.newKey({}), await server.newKey({})]
    const session = await newSession(maker)
    await say(speaker, session, 'echo')
    await say(speaker, session, 'echo')
    await say(maker, session, 'echo')
    expect([await turns(maker), await turns(speaker)]).toEqual([1, 2])
  })

  it('is charged to the key whose answer resumed it, on every wire', async () => {
    const [maker, speaker] = [await server.newKey({}), await server.newKey({})]
    const session = await newSession(maker)
    await say(maker, session, 'ask')
    const [item] = (await server.as(maker, 'GET', '/api/pending')).body.pending
    await server.as(speaker, 'POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    expect([await turns(maker), await turns(speaker)]).toEqual([1, 1])
    await server.as(speaker, 'POST', '/v4/response', { thread_id: session, input: 'echo', stream: false })
    const { run_token } = (
      await server.as(speaker, 'POST', '/v4/prepare', { thread_id: session, input: 'echo' })
    ).body
    await (await fetch(`${server.url}/v4/response/${run_token}`)).text()
    expect([await turns(maker), await turns(speaker)]).toEqual([1, 3])
    const messages = [{ role: 'user', content: 'echo' }]
    await server.as(speaker, 'POST', '/v1/chat/completions', { model: 'demo', messages })
    await server.as(speaker, 'POST', '/v1/messages', { model: 'demo', max_tokens: 10, messages })
    expect([await turns(maker), await turns(speaker)]).toEqual([1, 5])
  })

  it('is paid by a key of the settings that prepared it, too', async () => {
    const maker = await server.newKey({ owner: 'default' })
    const session = await newSession(maker)
    const { run_token } = (
      await server.as(CONFIGURED, 'POST', '/v4/prepare', { thread_id: session, input: 'echo' })
    ).body
    await (await fetch(`${server.url}/v4/response/${run_token}`)).text()
    expect(await turns(maker)).toBe(0)
    const [paid] = await server.records.list('spending')
    expect(paid).toMatchObject({ id: expect.stringMatching(/^config-/), value: { unpriced_turns: 1 } })
  })

  it('is not charged again for a copy of the conversation', async () => {
    const [maker, speaker] = [await server.newKey({}), await server.newKey({})]
    const session = await newSession(maker)
    await say(maker, session, 'echo')
    expect((await server.as(speaker, 'POST', `/api/sessions/${session}/fork`, {})).status).toBe(201)
    expect([await turns(maker), await turns(speaker)]).toEqual([1, 0])
  })
})

describe('the place that a run takes', () => {
  /** Begins a run that waits for the gate, and leaves. */
  async function leaveRunning(key: string): Promise<string> {
    const session = await newSession(key)
    const leave = new AbortController()
    const answer = await fetch(`${server.url}/api/chat/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, message: 'gate' }),
      signal: leave.signal,
    })
    expect(answer.status).toBe(200)
    leave.abort()
    return session
  }
  /** When the connection that was left is counted out. */
  const begun = async (key: string, path: string, body: object) => {
    let answer = await server.as(key, 'POST', path, body)
    while (String(answer.body?.error?.message).includes('requests at once'))
      answer = await server.as(key, 'POST', path, body)
    return answer
  }

  it('is not freed by leaving its stream, and is when it ends', async () => {
    const key = await server.newKey({ concurrent: 1 })
    const other = await server.newKey({})
    const free = await newSession(other)
    const session = await leaveRunning(key)
    const v4 = { thread_id: free, input: 'echo', stream: false }
    const refused = await begun(key, '/v4/response', v4)
    expect(refused).toMatchObject({ status: 429, body: { error: { retryable: true } } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body.error.message).toContain('1 runs at once')
    const messages = [{ role: 'user', content: 'echo' }]
    const openai = await begun(key, '/v1/chat/completions', { model: 'demo', messages })
    expect(openai).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } })
    const { run_token } = (await begun(key, '/v4/prepare', { thread_id: free, input: 'echo' })).body
    expect((await fetch(`${server.url}/v4/response/${run_token}`)).status).toBe(429)
    // Reads, and requests that start nothing, continue; so does the running session, and another key.
    expect((await begun(key, '/api/sessions', {})).status).toBe(201)
    expect((await server.as(other, 'POST', '/v4/response', v4)).status).toBe(200)
    expect((await begun(key, `/api/sessions/${session}/cancel`, {})).body).toMatchObject({ cancelled: true })
    await server.settled()
    expect((await begun(key, '/v4/response', v4)).status).toBe(200)
  })

  it('is of the key behind a browser token, for every owner', async () => {
    const key = await server.newKey({ concurrent: 1, scopes: ['read', 'write', 'gateway', 'tokens'] })
    const tokenOf = async (owner: string): Promise<string> =>
      (await begun(key, '/api/tokens', { owner })).body.token
    const [one, two] = [await tokenOf('one'), await tokenOf('two')]
    const session = await leaveRunning(one)
    const message = { input: 'echo', stream: false }
    for (const caller of [one, two, key]) {
      const refused = await begun(caller, '/v4/response', message)
      expect(refused).toMatchObject({ status: 429, body: { error: { retryable: true } } })
      expect(refused.body.error.message).toContain('1 runs at once')
    }
    expect((await begun(one, `/api/sessions/${session}/cancel`, {})).body).toMatchObject({ cancelled: true })
    await server.settled()
    for (const caller of [two, key, one])
      expect((await begun(caller, '/v4/response', message)).status).toBe(200)
  })

  it('of a key is not that of another one which made the token of an earlier run', async () => {
    const maker = await server.newKey({ owner: 'one', concurrent: 1, scopes: ['read', 'write', 'tokens'] })
    const token = (await begun(maker, '/api/tokens', { owner: 'one' })).body.token
    const other = await server.newKey({ owner: 'one' })
    const session = await newSession(token)
    expect(await say(token, session, 'echo')).toBe(200)
    await server.settled()
    const gate = { thread_id: session, input: 'gate', stream: false }
    const running = server.as(other, 'POST', '/v4/response', gate)
    await expect.poll(() => server.model.calls(), { timeout: 100_000 }).toBe(2)
    expect((await begun(maker, '/v4/response', { input: 'echo', stream: false })).status).toBe(200)
    await server.as(other, 'POST', `/api/sessions/${session}/cancel`, {})
    await running
  })

  it('is free again as soon as the log says that the run ended', async () => {
    const key = await server.newKey({ concurrent: 1 })
    for (let i = 0; i < 20; i++) expect(await say(key, await newSession(key), 'echo')).toBe(200)
  })

  it('is freed by the log alone, however late the list of sessions is', async () => {
    let facts: Facts = { ...NO_FACTS, open: ['r1'] }
    const late = { items: [{ id: 's1', labels: {} }], next: null } as unknown as Awaited<
      ReturnType<Store['list']>
    >
    const limit = createRunLimit({ list: async () => late }, async () => facts)
    await expect(limit.begin(ONE_AT_ONCE, 's2')).rejects.toThrow('runs at once')
    expect(await limit.begin(ONE_AT_ONCE, 's1')).toBeTypeOf('function')
    facts = NO_FACTS
    const other = createRunLimit({ list: async () => late }, async () => facts)
    expect(await other.begin(ONE_AT_ONCE, 's2')).toBeTypeOf('function')
  })

  it('is not taken by a waiting session that a new one replaces', async () => {
    const key = await server.newKey({ concurrent: 1 })
    const tools = [{ type: 'function', function: { name: 'pick', parameters: { type: 'object' } } }]
    const ask = async (messages: readonly object[]) =>
      (await begun(key, '/v1/chat/completions', { model: 'demo', tools, messages })).body
    const user = { role: 'user', content: 'client' }
    const { message } = (await ask([user])).choices[0]
    const results = message.tool_calls.map(({ id }: { id: string }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'red',
    }))
    const answer = await ask([{ role: 'system', content: 'Other.' }, user, message, ...results])
    expect(answer.choices?.[0].message.content).toContain('got red')
    await server.settled()
    expect((await server.as(key, 'GET', '/api/pending')).body.pending).toEqual([])
  })

  it('is taken before it is in the log', async () => {
    const store = { list: async () => ({ items: [], next: null }) }
    const limit = createRunLimit(store, async () => {
      throw new Error('nothing is listed')
    })
    const [first, second] = await Promise.allSettled([
      limit.begin(ONE_AT_ONCE, 's1'),
      limit.begin(ONE_AT_ONCE, 's2'),
    ])
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
    // The session itself takes no second place.
    const again = await limit.begin(ONE_AT_ONCE, 's1')
    await expect(limit.begin(ONE_AT_ONCE, 's2')).rejects.toThrow('runs at once')
    again()
    if (first.status === 'fulfilled') first.value()
    expect(await limit.begin(ONE_AT_ONCE, 's2')).toBeTypeOf('function')
  })
})
