/** What a key has open ends with the key, on every wire, and takes no more than the key's share. */
import { randomUUID } from 'node:crypto'
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKey, keyIdOf, revokeKey } from '../../src/access/api-key.ts'
import { createCredentials } from '../../src/access/credentials.ts'
import { createKeyBook } from '../../src/access/key-registry.ts'
import { createOpenRequests } from '../../src/access/open-requests.ts'
import { NO_LIMITS } from '../../src/access/principal.ts'
import { revokeTokens } from '../../src/access/token-records.ts'
import { startServer } from '../start-server.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
beforeEach(async () => {
  server = await startKeyServer({ pollMs: 600_000 })
})
afterEach(() => server.close())

const idOf = (key: string): string => keyIdOf(key) ?? ''
const revoke = (key: string) => revokeKey(server.records, idOf(key), new Date())

type Open = (path: string, body?: object, more?: Record<string, string>) => Promise<Response>

const opener =
  (key: string): Open =>
  (path, body, more = {}) =>
    fetch(server.url + path, {
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...more,
      },
    })

const chat = { model: 'demo', max_tokens: 10, messages: [{ role: 'user', content: 'gate' }] }

const user = { id: 'm1', role: 'user' }
const gate = { type: 'text', text: 'gate' }
const agentInput = () => ({
  threadId: randomUUID(),
  runId: 'r1',
  state: {},
  messages: [{ ...user, content: 'gate' }],
  tools: [],
  context: [],
  forwardedProps: {},
})

/** Every way to have something open; each run waits at the gate of its model. */
const WAYS: Readonly<Record<string, (open: Open, session: string) => Promise<Response>>> = {
  'chat, a message': (open, session_id) => open('/api/chat/stream', { session_id, message: 'gate' }),
  'chat, read again': (open, session) => open(`/api/chat/stream?session_id=${session}`),
  'canonical events': (open, session) => open(`/api/sessions/${session}/events?follow=true`),
  'events of the chat wire': (open, session) => open(`/api/sessions/${session}/events?follow=true&wire=chat`),
  'events of a vendor wire': (open, session) =>
    open(`/api/sessions/${session}/events?follow=true&wire=anthropic-messages`),
  'thread, streamed': open => open('/v4/response', { input: 'gate', stream: true }),
  'thread, not streamed': open => open('/v4/response', { input: 'gate' }),
  'thread, a message in the query': open => open('/v4/response?input=gate'),
  'thread, events': (open, session) => open(`/v4/threads/${session}/events?follow=true`),
  'thread, a run token': async open => {
    const prepared = await (await open('/v4/prepare', { input: 'gate' })).json()
    return await fetch(`${server.url}/v4/response/${prepared.run_token}`)
  },
  'OpenAI, streamed': open => open('/v1/chat/completions', { ...chat, stream: true }),
  'OpenAI, not streamed': open => open('/v1/chat/completions', chat),
  'Anthropic, streamed': open => open('/v1/messages', { ...chat, stream: true }),
  'Anthropic, not streamed': open => open('/v1/messages', chat),
  'Responses, streamed': open => open('/v1/responses', { model: 'demo', input: 'gate', stream: true }),
  'Responses, not streamed': open => open('/v1/responses', { model: 'demo', input: 'gate' }),
  'AI SDK': open => open('/api/chat', { id: randomUUID(), messages: [{ ...user, parts: [gate] }] }),
  'AG-UI': open => open('/ag-ui', agentInput()),
  CopilotKit: open => open('/copilotkit/agent/default/run', agentInput()),
}

/** Opens all of them for a key; each entry resolves with its name when the connection has ended. */
async function openAll(key: string): Promise<readonly Promise<string>[]> {
  const open = opener(key)
  const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
  const first = await open('/api/chat/stream', { session_id: session, message: 'gate' })
  const ended = Object.entries(WAYS).map(async ([name, way]) => {
    const response = await way(open, session).catch(() => undefined)
    await response?.text().catch(() => {})
    return name
  })
  const names = Object.keys(WAYS)
  const streams = names.filter(name => !name.endsWith('not streamed')).length + 1
  await expect.poll(() => server.server.context.streams.size(), { timeout: 100_000 }).toBe(streams)
  // Those that begin a session each, and the first; a second message of that session is queued.
  await expect.poll(() => server.model.calls(), { timeout: 100_000 }).toBe(14)
  return [
    first
      .text()
      .catch(() => '')
      .then(() => 'the first'),
    ...ended,
  ]
}

describe('a key', () => {
  it('that is revoked ends everything that it has open, on every wire', async () => {
    const key = await server.newKey({})
    const ended = await openAll(key)
    await revoke(key)
    expect(new Set(await Promise.all(ended))).toEqual(new Set(['the first', ...Object.keys(WAYS)]))
    expect((await server.as(key, 'GET', '/api/sessions')).status).toBe(401)
  })

  it('that expires ends everything that it has open', async () => {
    const key = await server.newKey({})
    const ended = await openAll(key)
    await server.records.update('api_key', idOf(key), value => ({
      ...(value as object),
      expires_at: new Date(Date.now() - 1).toISOString(),
    }))
    expect(await Promise.all(ended)).toHaveLength(Object.keys(WAYS).length + 1)
  })

  for (const [name, end] of [
    ['is revoked', () => revokeTokens(server.records, { owner: 'alice' }, new Date())],
    ['loses the key that made it', revoke],
  ] as const)
    it(`as a browser token that ${name} ends everything that it has open`, async () => {
      const minter = await server.newKey({ scopes: ['admin', 'tokens'] })
      const made = await server.as(minter, 'POST', '/api/tokens', { owner: 'alice' })
      const ended = await openAll(made.body.token)
      await end(minter)
      expect(new Set(await Promise.all(ended))).toEqual(new Set(['the first', ...Object.keys(WAYS)]))
      expect((await server.as(made.body.token, 'GET', '/api/sessions')).status).toBe(401)
    })

  it('as a browser token ends at its own time', async () => {
    let now = 1_000
    const credentials = createCredentials({ apiKeys: [], records: server.records, now: () => new Date(now) })
    const claims = {
      owner: 'alice',
      scopes: ['read' as const],
      limits: NO_LIMITS,
      models: null,
      workspace: null,
    }
    const { token } = await credentials.makeToken({ ...claims, expires_at: 2_000 })
    const { credential = '' } = (await credentials.find(token)) ?? {}
    now = 1_999
    expect(await credentials.findCurrent([credential])).toEqual(new Set([credential]))
    now = 2_000
    expect(await credentials.findCurrent([credential])).toEqual(new Set())
    expect(await credentials.find(token)).toBeUndefined()
  })

  it('of the same owner keeps its stream when another one is revoked', async () => {
    const [mine, other] = [await server.newKey({}), await server.newKey({})]
    const session = (await server.as(mine, 'POST', '/api/sessions', {})).body.id
    const path = `/api/sessions/${session}/events?follow=true`
    const kept = await opener(mine)(path)
    const cut = await opener(other)(path)
    await revoke(other)
    await cut.text().catch(() => {})
    await server.as(mine, 'PATCH', `/api/sessions/${session}`, { title: 'still here' })
    const reader = kept.body?.getReader()
    let text = ''
    while (!text.includes('still here')) text += new TextDecoder().decode((await reader?.read())?.value)
    await reader?.cancel()
  })
})

describe('a run token that was used', () => {
  it('reads nothing more once the key that made it is revoked', async () => {
    const key = await server.newKey({})
    const { run_token } = (await server.as(key, 'POST', '/v4/prepare', { input: 'echo hi' })).body
    const url = `${server.url}/v4/response/${run_token}`
    const text = await (await fetch(url)).text()
    const first = /^id: (.+)$/m.exec(text)?.[1] ?? ''
    expect((await fetch(url, { headers: { 'last-event-id': first } })).status).toBe(200)
    await revoke(key)
    for (const headers of [new Headers(), new Headers({ 'last-event-id': first })])
      expect((await fetch(url, { headers })).status).toBe(401)
  })

  it.each([
    ['a key of the settings that was taken away', { apiKeys: ['first-key'] }, { apiKeys: ['second-key'] }],
    ['no key, before there were any', {}, { apiKeys: ['second-key'] }],
  ])('reads nothing more when it was made with %s', async (_, before, after) => {
    const old = await startServer(before)
    const auth: Record<string, string> = 'apiKeys' in before ? { authorization: 'Bearer first-key' } : {}
    const { run_token } = (await old.json('POST', '/v4/prepare', { input: 'echo hi' }, auth)).body
    expect((await fetch(`${old.url}/v4/response/${run_token}`)).status).toBe(200)
    const next = await startServer(after, { store: old.store })
    expect((await fetch(`${next.url}/v4/response/${run_token}`)).status).toBe(401)
    await next.close()
    await old.close()
  })
})

describe('a request without a key', () => {
  it('ends when the server gets its first key', async () => {
    const records = createMemoryRecords()
    const open = await startServer({}, { records })
    const session = await open.newSession()
    const stream = await fetch(`${open.url}/api/sessions/${session}/events?follow=true`)
    const [made] = await server.records.list('api_key')
    await records.put('api_key', made?.id ?? '', made?.value)
    await stream.text().catch(() => {})
    expect((await open.json('GET', '/api/sessions')).status).toBe(401)
    await open.close()
  })
})

describe('polling', () => {
  const WANTED = {
    name: 'k',
    owner: 'alpha',
    scopes: ['read' as const],
    expires_at: null,
    workspace: null,
    requests_per_minute: null,
    concurrent: null,
    budget_usd: null,
  }
  const response = () => ({ isClosed: () => false, onClose: () => () => {}, destroy: vi.fn() })
  afterEach(() => vi.useRealTimers())

  it('reads the records once a second, in one read, however many keys are open', async () => {
    vi.useFakeTimers()
    const records = createMemoryRecords()
    const reads = vi.spyOn(records, 'getMany')
    const book = createKeyBook({ apiKeys: [], records, now: () => new Date() })
    const open = createOpenRequests(book)
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { record } = await createKey(records, WANTED, new Date())
        const one = response()
        open.add(record.id, one)
        return { id: record.id, one }
      }),
    )
    const [first, second] = responses
    await revokeKey(records, first?.id ?? '', new Date())
    await vi.advanceTimersByTimeAsync(1000)
    expect(reads).toHaveBeenCalledTimes(1)
    expect(first?.one.destroy).toHaveBeenCalledOnce()
    expect(second?.one.destroy).not.toHaveBeenCalled()
    open.close()
    await vi.advanceTimersByTimeAsync(5000)
    expect(reads).toHaveBeenCalledTimes(1)
  })

  it('keeps what is open while the records cannot be read, until a key expires by what is known', async () => {
    vi.useFakeTimers()
    const records = createMemoryRecords()
    const book = createKeyBook({ apiKeys: [], records, now: () => new Date() })
    const open = createOpenRequests(book)
    const until = new Date(Date.now() + 10_000).toISOString()
    const { record } = await createKey(records, { ...WANTED, expires_at: until }, new Date())
    const one = response()
    open.add(record.id, one)
    await vi.advanceTimersByTimeAsync(2000)
    vi.spyOn(records, 'getMany').mockRejectedValue(new Error('away'))
    await vi.advanceTimersByTimeAsync(5000)
    expect(one.destroy).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(5000)
    expect(one.destroy).toHaveBeenCalled()
    open.close()
  })
})
