/** Several keys of one provider: a conversation stays with one, and moves when that one is rejected or limited. */
import { describe, expect, it } from 'vitest'
import { createModelFinder } from '../../src/finder.ts'
import { createKeyPool } from '../../src/shared/key-pool.ts'
import { collect, request, said } from '../collect.ts'
import { scriptedModel } from '../scripted-model.ts'

const KEYS = ['sk-first-key-0001', 'sk-second-key-0002', 'sk-third-key-0003']

type Reply = { readonly status: number; readonly headers?: Record<string, string> }
const OK: Reply = { status: 200 }

/** A provider that treats each key as the test says, and notes which key asked. */
function setUp(
  replies: Record<string, Reply>,
  api: 'openai-chat' | 'openai-responses' | 'anthropic' = 'openai-chat',
) {
  const used: string[] = []
  const clock = { now: 1_000_000 }
  const keys = createKeyPool(KEYS, () => clock.now)
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const headers = new Headers(init?.headers)
    const key = headers.get('x-api-key') ?? headers.get('authorization')?.slice(7) ?? ''
    used.push(key)
    const reply = replies[key] ?? OK
    if (reply.status !== 200)
      return new Response(JSON.stringify({ error: { message: `${key} is refused` } }), reply)
    const chunk = { id: 'c', choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] }
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const entry = { name: 'pool', api, keys, baseUrl: 'http://127.0.0.1:9/v1' } as const
  const list = [entry]
  const sleep = async () => undefined
  const find = createModelFinder({ demo: scriptedModel(), providers: () => list, fetch, sleep })
  return { model: find('pool/m'), used, clock, keys, replies }
}

describe('a provider with several keys', () => {
  it('uses one key for all requests of a conversation, and different ones for others', async () => {
    const { model, used } = setUp({})
    for (let n = 0; n < 3; n++) await collect(model, request('same'))
    expect(new Set(used).size).toBe(1)
    for (let n = 0; n < 30; n++) await collect(model, request(`conversation ${n}`))
    expect(new Set(used).size).toBe(3)
  })

  it.for([401, 403, 429])('moves on after %i at once, and the conversation stays there', async status => {
    const { model, used, clock, replies } = setUp({})
    await collect(model, request('x'))
    const [first = ''] = used
    replies[first] = { status }
    expect(said(await collect(model, request('x'))).text).toBe('hi')
    const second = used.at(-1)
    expect(used).toEqual([first, first, second])
    expect(second).not.toBe(first)
    replies[first] = OK
    clock.now += 10_000_000
    await collect(model, request('x'))
    expect(used.at(-1)).toBe(second)
  })

  it('leaves a limited key alone for as long as the provider asks', async () => {
    const { model, used, clock, keys, replies } = setUp({})
    await collect(model, request('x'))
    const [first = ''] = used
    replies[first] = { status: 429, headers: { 'retry-after': '20' } }
    await collect(model, request('x'))
    expect(
      keys
        .states()
        .map(state => state.coolingMs)
        .sort(),
    ).toEqual([0, 0, 20_000])
    const before = used.length
    for (let n = 0; n < 20; n++) await collect(model, request(`other ${n}`))
    expect(used.slice(before)).not.toContain(first)
    clock.now += 20_000
    replies[first] = OK
    for (let n = 0; n < 20; n++) await collect(model, request(`later ${n}`))
    expect(used).toContain(first)
  })

  it('cools a rejected key down longer each time', () => {
    const clock = { now: 0 }
    const pool = createKeyPool(KEYS, () => clock.now)
    const failure = { code: 'model_auth', message: '', retryable: false }
    const cooling = [1, 2, 3].map(() => {
      pool.fail(0, failure)
      return pool.states()[0]?.coolingMs
    })
    expect(cooling).toEqual([60_000, 120_000, 240_000])
    pool.succeed(0, 'aaaaaaaa')
    pool.fail(0, failure)
    expect(pool.states()[0]?.coolingMs).toBe(60_000)
  })

  it('returns the last failure without any key when all are refused, and still tries when all cool down', async () => {
    const refused = Object.fromEntries(KEYS.map(key => [key, { status: 401 }]))
    const { model, used } = setUp(refused)
    const parts = await collect(model, request('x'))
    expect(parts).toMatchObject([
      { type: 'error', error: { code: 'model_auth', provider: 'pool:openai-chat' } },
    ])
    for (const key of KEYS) expect(JSON.stringify(parts)).not.toContain(key)
    expect(new Set(used)).toEqual(new Set(KEYS))
    for (const key of KEYS) refused[key] = OK
    expect(said(await collect(model, request('x'))).text).toBe('hi')
  })

  it('does not move for a failure that every key would have', async () => {
    const { model, used } = setUp(Object.fromEntries(KEYS.map(key => [key, { status: 400 }])))
    await collect(model, request('x'))
    expect(used).toHaveLength(1)
  })

  it('shows no part of a key in the state', () => {
    for (const { mark } of createKeyPool(KEYS).states())
      for (const key of KEYS) expect(key).not.toContain(mark)
  })
})

it('drops encrypted reasoning of another key beforehand', async () => {
  const bodies: { input: readonly { type: string }[] }[] = []
  const used: string[] = []
  let refused = ''
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENC' }
  const events = [
    { type: 'response.created', response: { id: 'r', model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, encrypted_content: '' } },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'message', id: 'msg_1', content: [] },
    },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'hi', annotations: [] }] },
    },
    { type: 'response.completed', response: { status: 'completed', output: [], usage: {} } },
  ]
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const key = new Headers(init?.headers).get('authorization') ?? ''
    if (key === refused) return new Response('{}', { status: 401 })
    used.push(key)
    bodies.push(JSON.parse(String(init?.body)))
    return new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  const list = [
    {
      name: 'pool',
      api: 'openai-responses',
      keys: createKeyPool(KEYS),
      baseUrl: 'http://127.0.0.1:9/v1',
    } as const,
  ]
  const model = createModelFinder({ demo: scriptedModel(), providers: () => list, fetch })('pool/m')
  const parts = await collect(model, request('go'))
  const opaque = parts.find(part => part.type === 'block-end')?.opaque
  expect(opaque?.provider).toMatch(/^pool:openai-responses#[0-9a-f]{8}$/)
  const next = request('go', {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        message_id: 'm',
        provider: 'pool:openai-responses',
        model: 'pool/m',
        content: [
          { type: 'thinking', thinking: '', ...(opaque ? { opaque } : {}) },
          { type: 'text', text: 'hi' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'next' }] },
    ],
  })
  const types = () => bodies.at(-1)?.input.map(item => item.type)
  await collect(model, next)
  expect(used.at(-1)).toBe(used[0])
  expect(types()).toContain('reasoning')
  refused = used[0] ?? ''
  await collect(model, next)
  expect(used.at(-1)).not.toBe(used[0])
  expect(types()).not.toContain('reasoning')
})
