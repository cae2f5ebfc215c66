/** Idempotency-Key on the vendor wires: one key, one answer. */
import { AppError } from '@toolwire/core'
import { createMemoryRecords, createMemoryStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StartedAnswer } from '../../src/gateway/gateway-context.ts'
import { createReceipts } from '../../src/gateway/receipts.ts'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const say = (text: string, more: object = {}) => ({
  model: 'demo',
  messages: [{ role: 'user', content: text }],
  ...more,
})

interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  readonly body: any
}
async function post(path: string, body: object, key: string, to = gateway): Promise<Told> {
  const response = await to.post(path, body, { 'idempotency-key': key })
  return { status: response.status, body: await response.json() }
}

const WIRES = [
  ['/v1/chat/completions', {}],
  ['/v1/messages', { max_tokens: 100 }],
] as const

test.each(WIRES)(
  '%s: the same request under one key gets one answer, at once and later',
  async (path, more) => {
    const body = say('say hello', more)
    const [a, b] = await Promise.all([post(path, body, 'k1'), post(path, body, 'k1')])
    const later = await post(path, body, 'k1')
    expect([a.status, b.status, later.status]).toEqual([200, 200, 200])
    expect(a.body).toEqual(b.body)
    expect(later.body).toEqual(a.body)
    expect(gateway.model.requests).toHaveLength(1)
    expect((await post(path, body, 'k2')).body.id).not.toBe(a.body.id)
  },
)

test('another request under the same key, in its body or in its headers, is refused in the shape of each wire', async () => {
  await post('/v1/chat/completions', say('say a'), 'k')
  expect(await post('/v1/chat/completions', say('say b'), 'k')).toMatchObject({
    status: 409,
    body: { error: { type: 'invalid_request_error', code: 'conflict', param: null } },
  })
  await post('/v1/messages', say('say a', { max_tokens: 9 }), 'k')
  expect(await post('/v1/messages', say('say b', { max_tokens: 9 }), 'k')).toMatchObject({
    status: 409,
    body: { type: 'error', error: { type: 'invalid_request_error' } },
  })
  for (const [name, value] of [
    ['x-max-total-tokens', '5000'],
    ['x-server-tools', 'none'],
    ['x-tool-repair', 'strict'],
    ['x-session-id', 's'],
  ] as const) {
    const headers = { 'idempotency-key': 'k', [name]: value }
    expect((await gateway.post('/v1/chat/completions', say('say a'), headers)).status, name).toBe(409)
  }
  expect((await post('/v1/chat/completions', say('say a', { max_tokens: 9 }), 'k')).status).toBe(409)
  expect(gateway.model.requests).toHaveLength(2)
})

test('a stream under one key is the same stream again', async () => {
  const ask = () =>
    gateway.post('/v1/chat/completions', say('say hello', { stream: true }), { 'idempotency-key': 'k' })
  const first = await readData(await ask())
  expect(first.at(-1)).toBe('[DONE]')
  const text = (data: typeof first) => data.map(chunk => chunk.choices?.[0]?.delta.content ?? '').join('')
  const again = await readData(await ask())
  expect([text(again), again[0].id]).toEqual([text(first), first[0].id])
  expect(gateway.model.requests).toHaveLength(1)
})

test('a repeated request does not disturb a conversation that has continued', async () => {
  const path = '/v1/chat/completions'
  const first = await post(path, say('say a'), 'k')
  const history = [...say('say a').messages, first.body.choices[0].message]
  const second = await gateway.post(path, {
    model: 'demo',
    messages: [...history, { role: 'user', content: 'say b' }],
  })
  const said = (await second.json()).choices[0].message
  expect((await post(path, say('say a'), 'k')).body).toEqual(first.body)
  const third = await gateway.post(path, {
    model: 'demo',
    messages: [...history, { role: 'user', content: 'say b' }, said, { role: 'user', content: 'say c' }],
  })
  expect(third.headers.get('x-session-id')).toBe(second.headers.get('x-session-id'))
  await third.text()
})

test('an answer that failed may be asked for again under its key, and a refused request leaves no trace', async () => {
  const tools = [chatTool('weather')]
  const path = '/v1/chat/completions'
  const first = await (await gateway.post(path, say('call weather@Paris', { tools }))).json()
  const { message } = first.choices[0]
  const results = {
    model: 'demo',
    tools,
    messages: [
      ...say('call weather@Paris').messages,
      message,
      { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'flaky' },
    ],
  }
  expect((await post(path, results, 'k')).status).toBe(503)
  expect((await post(path, results, 'k')).body.choices[0].message.content).toBe('got flaky')
  const unknown = { ...say('say a'), messages: [] }
  expect((await post(path, unknown, 'k3')).status).toBe(400)
  expect((await post(path, say('say a'), 'k3')).status).toBe(200)
})

test('keys of different callers never meet, and a malformed key is refused', async () => {
  const ask = (authorization: string, key: string) =>
    gateway.post('/v1/chat/completions', say('say a'), { authorization, 'idempotency-key': key })
  const mine = await (await ask('Bearer one', 'k')).json()
  const theirs = await (await ask('Bearer two', 'k')).json()
  expect(theirs.id).not.toBe(mine.id)
  expect((await ask('Bearer one', 'x'.repeat(256))).status).toBe(400)
})

test('receipts outlive the process where the server keeps records', async () => {
  const store = createMemoryStore()
  const records = createMemoryRecords()
  const before = await startGateway({ store, records })
  const first = await post('/v1/chat/completions', say('say a'), 'k', before)
  await before.close()
  const after = await startGateway({ store, records })
  try {
    expect((await post('/v1/chat/completions', say('say a'), 'k', after)).body).toEqual(first.body)
    expect(after.model.requests).toHaveLength(0)
  } finally {
    await after.close()
    await store.close()
  }
})

test('a key that another process is using is refused until that process is given up', async () => {
  const records = createMemoryRecords()
  let now = 0
  let ids = 0
  const answer = { session: 's' } as StartedAnswer
  const receipts = () =>
    createReceipts<StartedAnswer, string>(records, {
      now: () => now,
      newId: () => `claim-${ids++}`,
      isShared: true,
      leases: undefined,
    })
  const key = { id: 'k', request: 'r' }
  const how = { find: async () => undefined, isGood: async () => true, mayRepeat: () => false }
  const never = new Promise<StartedAnswer>(() => {})
  void receipts().once(key, { ...how, start: () => never })
  const other = receipts()
  const start = async () => answer
  // The first one has claimed the key as soon as the record is there.
  while ((await records.get('gateway_receipt', 'k')) === undefined) await Promise.resolve()
  await expect(other.once(key, { ...how, start })).rejects.toSatisfy(AppError.is)
  now = 61_000
  expect(await other.once(key, { ...how, start })).toEqual(answer)
})

test('of an answer that a dead process planned, the one that was begun is taken, and the one that was not is begun when it is given up', async () => {
  let now = 0
  let ids = 0
  const answer = { session: 's' } as StartedAnswer
  const started: string[] = []
  for (const begun of [true, false]) {
    const records = createMemoryRecords()
    const receipts = () =>
      createReceipts<StartedAnswer, string>(records, {
        now: () => now,
        newId: () => `claim-${ids++}`,
        isShared: true,
        leases: undefined,
      })
    const find = async (planned: string) => (begun && planned === 'plan' ? answer : undefined)
    const how = { find, isGood: async () => true, mayRepeat: () => false }
    const key = { id: 'k', request: 'r' }
    const planned = new Promise<void>(resolve => {
      const start = async (keep: (plan: string) => Promise<void>) => {
        await keep('plan')
        resolve()
        return await new Promise<StartedAnswer>(() => {})
      }
      void receipts().once(key, { ...how, start })
    })
    await planned
    const start = async () => {
      started.push(String(begun))
      return answer
    }
    const again = () => receipts().once(key, { ...how, start })
    if (begun) expect(await again()).toBe(answer)
    else await expect(again()).rejects.toSatisfy(AppError.is)
    now += 61_000
    expect(await again()).toEqual(answer)
    await expect(receipts().once({ ...key, request: 'other' }, { ...how, start })).rejects.toThrow(
      /another request/,
    )
  }
  expect(started).toEqual(['false'])
})

test('a key of a process whose lease is over is free at once, and that process can no longer fill it', async () => {
  const records = createMemoryRecords()
  const left = new Set<string>()
  let ids = 0
  const receipts = (self: string) =>
    createReceipts<StartedAnswer, string>(records, {
      now: () => 0,
      newId: () => `claim-${ids++}`,
      isShared: true,
      leases: { self: () => self, isLeaseExpired: async node => left.has(node) },
    })
  const key = { id: 'k', request: 'r' }
  const how = { find: async () => undefined, isGood: async () => true, mayRepeat: () => false }
  const answer = { session: 's' } as StartedAnswer
  const begun: string[] = []
  const wake = Promise.withResolvers<void>()
  const zombie = receipts('one').once(key, {
    ...how,
    async start(keep) {
      await wake.promise
      await keep('plan')
      begun.push('one')
      return answer
    },
  })
  while ((await records.get('gateway_receipt', 'k')) === undefined) await Promise.resolve()
  const other = receipts('two')
  const start = async (): Promise<StartedAnswer> => {
    begun.push('two')
    return answer
  }
  await expect(other.once(key, { ...how, start })).rejects.toMatchObject({ code: 'conflict' })
  left.add('one')
  expect(await other.once(key, { ...how, start })).toEqual(answer)
  wake.resolve()
  await expect(zombie).rejects.toMatchObject({ code: 'conflict' })
  expect(begun).toEqual(['two'])
  expect(await receipts('three').once(key, { ...how, start })).toEqual(answer)
  expect(begun).toEqual(['two'])
})

test('of two who read one answer, the one who leaves does not take it from the other', async () => {
  const body = say('fail model_unavailable 502 late', { stream: true })
  const ask = (signal?: AbortSignal) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    })
  const leave = new AbortController()
  const [leaving, staying] = await Promise.all([ask(leave.signal), ask()])
  expect(staying.headers.get('x-session-id')).toBe(leaving.headers.get('x-session-id'))
  leave.abort()
  await leaving.text().catch(() => '')
  while (gateway.context.streams.size() > 1) await new Promise(resolve => setImmediate(resolve))
  gateway.model.open()
  expect((await readData(staying)).at(-1)).toMatchObject({ error: { code: 'model_unavailable' } })
})
