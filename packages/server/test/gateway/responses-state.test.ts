/** State of the Responses API: repetitions, conversations, summaries, sealed thinking. */
import { createMemoryStore } from '@toolwire/store'
import type OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSealer } from '../../src/gateway/sealer.ts'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

type Input = OpenAI.Responses.ResponseInput
const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: null,
}
const tools = [weather]
const callOf = (response: OpenAI.Responses.Response) => {
  const call = response.output.find(item => item.type === 'function_call')
  if (!call) throw new Error('no call')
  return call
}

describe('a repeated request', () => {
  const body = (input: string, more: object = {}) => ({ model: 'demo', input, stream: true, ...more })
  const turn = (turn_id: string, n: number) => ({ client_metadata: { turn_id, attempt: n } })

  test('of one turn of codex costs one model call, however often it is sent', async () => {
    const send = async (n: number) =>
      await (await gateway.post('/v1/responses', body('say hi', turn('t1', n)))).text()
    const first = await send(0)
    expect(await Promise.all([1, 2, 3, 4, 5].map(send))).toEqual(Array(5).fill(first))
    expect(gateway.model.requests).toHaveLength(1)
    await gateway.post('/v1/responses', body('say hi', turn('t2', 0)))
    await gateway.settled()
    expect(gateway.model.requests).toHaveLength(2)
  })

  test('joins the response in progress, also after its connection broke', async () => {
    const leaving = new AbortController()
    const sent = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body('slow done', turn('t', 0))),
      signal: leaving.signal,
    })
    await sent.body?.getReader().read()
    leaving.abort()
    await gateway.left()
    const again = gateway.post('/v1/responses', body('slow done', turn('t', 1)))
    gateway.model.open()
    expect(await (await again).text()).toContain('"text":"done"')
    expect(gateway.model.requests).toHaveLength(1)
  })

  test('of a retry by OpenAI clients gets the first answer; a new request with the same body does not', async () => {
    const send = async (count: string) => {
      const headers = { 'x-stainless-retry-count': count }
      const response = await gateway.post('/v1/responses', { model: 'demo', input: 'say hi' }, headers)
      return ((await response.json()) as { id: string }).id
    }
    const first = await send('0')
    expect(await send('1')).toBe(first)
    const second = await send('0')
    expect(second).not.toBe(first)
    expect(await send('2')).toBe(second)
    expect(gateway.model.requests).toHaveLength(2)
  })

  test('after a failure is another attempt if that can help, and the same failure otherwise', async () => {
    const send = async (input: string, n: number) =>
      (await gateway.post('/v1/responses', body(input, turn('f', n)))).status
    expect([await send('fail model_overloaded 529', 0), await send('fail model_overloaded 529', 1)]).toEqual([
      503, 503,
    ])
    expect(gateway.model.requests).toHaveLength(2)
    expect([await send('refuse bad_request', 0), await send('refuse bad_request', 1)]).toEqual([400, 400])
    expect(gateway.model.requests).toHaveLength(3)
  })
})

test('a run of codex is cancelled when its request is not repeated', async () => {
  const brief = await startGateway({ config: { repeatGraceMs: 1 } })
  const leaving = new AbortController()
  const sent = await fetch(`${brief.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', originator: 'codex_exec' },
    body: JSON.stringify({ model: 'demo', input: 'hang', stream: true }),
    signal: leaving.signal,
  })
  await sent.body?.getReader().read()
  leaving.abort()
  await brief.model.aborted
  await brief.close()
})

describe('a response by its id', () => {
  test('lists its input with ids, in pages, and is gone once it is deleted', async () => {
    const { responses } = gateway.openai
    const first = await responses.create({
      model: 'demo',
      input: 'call weather@Paris',
      tools,
      instructions: 'Hm.',
    })
    const { call_id } = callOf(first)
    const output: Input = [{ type: 'function_call_output', call_id, output: 'ok' }]
    const second = await responses.create({
      model: 'demo',
      input: output,
      tools,
      previous_response_id: first.id,
    })
    const listed = await Array.fromAsync(responses.inputItems.list(second.id, { limit: 1, order: 'asc' }))
    expect(listed.map(item => item.type)).toEqual(['message', 'function_call', 'function_call_output'])
    expect(new Set(listed.map(item => ('id' in item ? item.id : ''))).size).toBe(3)
    const newest = await responses.inputItems.list(second.id, { limit: 1 })
    expect(newest.data).toMatchObject([{ type: 'function_call_output', output: 'ok' }])
    expect(
      await (await fetch(`${gateway.url}/v1/responses/${first.id}`, { method: 'DELETE' })).json(),
    ).toEqual({
      id: first.id,
      object: 'response',
      deleted: true,
    })
    await expect(responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
    await expect(
      responses.create({ model: 'demo', input: 'say x', previous_response_id: first.id }),
    ).rejects.toMatchObject({ code: 'previous_response_not_found' })
    expect((await responses.retrieve(second.id)).output_text).toBe('got ok')
  })

  test('that is not to be stored can be read while it runs in the background', async () => {
    const { responses } = gateway.openai
    const queued = await responses.create({ model: 'demo', input: 'slow x', background: true, store: false })
    expect((await responses.retrieve(queued.id)).status).toBe('in_progress')
    gateway.model.open()
    await gateway.settled()
    await expect(responses.retrieve(queued.id)).rejects.toMatchObject({ status: 404 })
  })

  test('has the length of its input', async () => {
    const counted = await gateway.openai.responses.inputTokens.count({
      model: 'demo',
      input: 'x'.repeat(400),
    })
    expect(counted).toMatchObject({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
    expect(counted.input_tokens).toBeGreaterThan(100)
  })
})

describe('a summary', () => {
  const ask = (input: unknown, more: object = {}) =>
    gateway.openai.responses.create({
      model: 'demo',
      input: input as Input,
      tools,
      ...more,
    } as OpenAI.Responses.ResponseCreateParamsNonStreaming)

  test('is one sealed item that takes the place of the conversation', async () => {
    const first = await ask('say hello')
    const history = [{ role: 'user', content: 'say hello' }, ...first.output]
    const compacted = await ask([...history, { type: 'compaction_trigger' }])
    expect(compacted.output).toMatchObject([{ type: 'compaction', encrypted_content: expect.any(String) }])
    const next = await ask([...compacted.output, { role: 'user', content: 'say bye' }])
    expect(next.output_text).toBe('bye')
    const [summary] = gateway.model.requests.at(-1)?.messages ?? []
    expect(JSON.stringify(summary)).toContain('Summary of the conversation so far')
    // The conversation itself continues where it was.
    const more = await ask([...history, { role: 'user', content: 'say more' }])
    expect(more['session_id' as keyof typeof more]).toBe(first['session_id' as keyof typeof first])
  })

  test('is also made by its own route', async () => {
    const first = await ask('say hello')
    const made = await gateway.openai.responses.compact({ model: 'demo', previous_response_id: first.id })
    expect(made).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] })
    expect(made.usage.total_tokens).toBe(20)
  })
})

describe('a conversation', () => {
  test('keeps its id, its items and its session from request to request', async () => {
    const { conversations, responses } = gateway.openai
    const { id } = await conversations.create({
      items: [{ role: 'user', content: 'earlier' }],
      metadata: { a: 'b' },
    })
    const ask = (input: string | Input, instructions = 'One.') =>
      responses.create({ model: 'demo', input, tools, conversation: id, instructions })
    const first = await ask('call weather@Paris')
    const user = { role: 'user', content: 'call weather@Paris' } as const
    const { call_id } = callOf(first)
    // The AI SDK repeats the message with the results of its calls.
    const second = await ask([user, { type: 'function_call_output', call_id, output: 'ok' }])
    expect(second.output_text).toBe('got ok')
    await conversations.items.create(id, { items: [{ role: 'user', content: 'added' }] })
    const third = await ask('say end', 'Two.')
    expect(third.output_text).toBe('end')
    const last = gateway.model.requests.at(-1)?.messages ?? []
    expect(last.filter(message => message.role === 'system')).toHaveLength(1)
    const items = await Array.fromAsync(conversations.items.list(id, { order: 'asc' }))
    // Messages of the user that follow each other are one.
    expect(items.map(item => item.type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
      'message',
      'message',
      'message',
    ])
    expect(JSON.stringify(items[4])).toMatch(/added.*say end/)
    const [one] = items
    expect(await conversations.items.retrieve(String(one?.id), { conversation_id: id })).toEqual(one)
    expect(await conversations.retrieve(id)).toMatchObject({
      id,
      object: 'conversation',
      metadata: { a: 'b' },
    })
    expect(await conversations.delete(id)).toMatchObject({ id, deleted: true })
    await expect(conversations.retrieve(id)).rejects.toMatchObject({ status: 404 })
  })

  test('is not given together with a previous response', async () => {
    const body = { model: 'demo', input: 'x', conversation: 'conv_x', previous_response_id: 'resp_x_1' }
    const response = await gateway.post('/v1/responses', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'conversation' } })
  })
})

describe('sealed thinking', () => {
  const secret = { config: { sealSecrets: ['group secret'] } }
  const think = async (server: Gateway) => {
    const input: Input = [{ role: 'user', content: 'think and call weather@Paris' }]
    const first = await server.openai.responses.create({ model: 'demo', input, tools, store: false })
    const output = { type: 'function_call_output' as const, call_id: callOf(first).call_id, output: 'ok' }
    return { first, input: [...input, ...(first.output as Input), output] }
  }

  test('comes back with its signature on a server that knows nothing but the secret', async () => {
    const one = await startGateway(secret)
    const { input } = await think(one)
    await one.close()
    const other = await startGateway({ ...secret, store: createMemoryStore() })
    const second = await other.openai.responses.create({ model: 'demo', input, tools, store: false })
    expect(second.output_text).toBe('got ok')
    expect(other.model.requests[0]?.messages[1]).toMatchObject({
      provider: 'anthropic',
      content: [{ type: 'thinking', thinking: 'let me see', signature: 'sig-1' }, { type: 'tool_use' }],
    })
    await other.close()
  })

  test('that was changed is left out with a warning, and rejected in a strict request', async () => {
    const { input } = await think(gateway)
    const changed = input.map(item =>
      item.type === 'reasoning' ? { ...item, encrypted_content: `${item.encrypted_content}x` } : item,
    )
    const body = { model: 'demo', input: changed, tools }
    const kept = await gateway.openai.responses.create(body)
    expect(kept).toMatchObject({ store: true, warnings: [{ code: 'invalid_encrypted_content' }] })
    const strict = gateway.openai.responses.create(body, { headers: { 'x-tool-repair': 'strict' } })
    await expect(strict).rejects.toMatchObject({ status: 400, code: 'invalid_encrypted_content' })
  })

  test('opens for its owner alone, under any of the secrets, and reads the same every time', () => {
    const old = createSealer(['old'])
    const rotated = createSealer(['new', 'old'])
    const sealed = old.seal('alpha', 'text')
    expect(old.seal('alpha', 'text')).toBe(sealed)
    expect(old.seal('beta', 'text')).not.toBe(sealed)
    expect(rotated.open('alpha', sealed)).toBe('text')
    expect(rotated.open('beta', sealed)).toBeUndefined()
    expect(createSealer(['new']).open('alpha', sealed)).toBeUndefined()
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      expect(rotated.open('alpha', sealed.slice(0, at) + other + sealed.slice(at + 1)) ?? 'text').toBe('text')
    }
    for (const text of ['', '.', 'tw1', 'tw1.x', 'tw1..', sealed.slice(0, 20)])
      expect(old.open('alpha', text)).toBeUndefined()
  })
})

test('an idle stream sends events with the last number, which keep clients of this wire alive', async () => {
  const quick = await startGateway({ config: { heartbeatMs: 5 } })
  const stream = await quick.openai.responses.create({ model: 'demo', input: 'hang', stream: true })
  let last = 0
  for await (const event of stream) {
    if (String(event.type) === 'keepalive' && last > 90_000) {
      expect(event.sequence_number).toBe(last)
      break
    }
    last = event.sequence_number
  }
  await quick.close()
})
