/** /v1/responses through the real `openai` client and the agents SDK in its default mode. */
import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import type OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

type Input = OpenAI.Responses.ResponseInput
type Event = OpenAI.Responses.ResponseStreamEvent
const fn = (name: string): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: null,
})
const tools = [fn('weather'), fn('time')]
const callsOf = (response: OpenAI.Responses.Response) =>
  response.output.flatMap(item => (item.type === 'function_call' ? [item] : []))

describe('a whole response', () => {
  test('has the text, the usage and every field of the request', async () => {
    const response = await gateway.openai.responses.create({
      model: 'demo',
      input: 'say hello',
      instructions: 'Be brief.',
      metadata: { a: 'b' },
    })
    expect(response.output_text).toBe('hello')
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'demo',
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      error: null,
      incomplete_details: null,
      parallel_tool_calls: true,
      temperature: 1,
      tools: [],
      usage: {
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 20,
      },
    })
    expect(gateway.model.requests[0]?.messages[0]).toMatchObject({
      role: 'system',
      content: [{ type: 'text', text: 'Be brief.' }],
    })
  })

  test('of parallel calls takes their results back in the same session', async () => {
    const input: Input = [{ role: 'user', content: 'think and call weather@Paris, time@Oslo' }]
    const first = await gateway.openai.responses.create({ model: 'demo', input, tools }).withResponse()
    const session = first.response.headers.get('x-session-id')
    expect(first.data.output.map(item => item.type)).toEqual(['reasoning', 'function_call', 'function_call'])
    const calls = callsOf(first.data)
    expect(calls.map(call => [call.name, call.arguments])).toEqual([
      ['weather', '{"city":"Paris"}'],
      ['time', '{"city":"Oslo"}'],
    ])
    input.push(...(first.data.output as Input))
    for (const [n, { call_id }] of calls.entries())
      input.push({ type: 'function_call_output', call_id, output: `result ${n}` })
    const second = await gateway.openai.responses.create({ model: 'demo', input, tools }).withResponse()
    expect(second.data.output_text).toBe('got result 0 | result 1')
    expect(second.response.headers.get('x-session-id')).toBe(session)
    expect(gateway.model.requests[1]?.messages[1]).toMatchObject({
      content: [{ type: 'thinking', signature: 'sig-1' }, {}, {}],
    })
  })

  test('of JSON is parsed by the client', async () => {
    const format = zodTextFormat(z.object({ word: z.string() }), 'answer')
    const response = await gateway.openai.responses.parse({
      model: 'demo',
      input: 'say {"word":"hi"}',
      text: { format },
    })
    expect(response.output_parsed).toEqual({ word: 'hi' })
    expect(gateway.model.requests[0]?.options?.['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'answer' },
    })
  })

  test('has no call of a tool that the request does not allow', async () => {
    const response = await gateway.openai.responses.create({
      model: 'demo',
      input: 'call time@Oslo',
      tools,
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
    })
    expect(response.status).toBe('completed')
    expect(callsOf(response)).toEqual([])
    expect(gateway.model.requests[0]?.tools.map(one => one.name)).toEqual(['weather'])
  })

  test('that is cut by its limit is incomplete', async () => {
    const response = await gateway.openai.responses.create({ model: 'demo', input: 'say x and length' })
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  test('of a freeform tool and of a namespace has its own items', async () => {
    const custom = {
      type: 'custom',
      name: 'patch',
      format: { type: 'grammar', syntax: 'lark', definition: 'x' },
    }
    const namespace = { type: 'namespace', name: 'mcp__files', description: '', tools: [fn('read')] }
    const body = { model: 'demo', tools: [custom, namespace, { type: 'web_search' }] }
    const create = (input: unknown) =>
      gateway.openai.responses.create({ ...body, input } as OpenAI.Responses.ResponseCreateParamsNonStreaming)
    const patch = await create('write patch {"input":"a \\"b\\""}')
    expect(patch.output).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: 'a "b"' }])
    expect(patch).toMatchObject({ warnings: [{ code: 'tool_ignored' }] })
    const read = await create('call mcp__files__read@x')
    expect(read.output).toMatchObject([{ type: 'function_call', namespace: 'mcp__files', name: 'read' }])
    const [item] = read.output
    if (item?.type !== 'function_call') throw new Error('no call')
    const done = await create([
      { role: 'user', content: 'call mcp__files__read@x' },
      item,
      { type: 'function_call_output', call_id: item.call_id, output: 'ok' },
    ])
    expect(done.output_text).toBe('got ok')
  })
})

test('a waiting session is closed when another conversation with its session-id brings its result', async () => {
  const ask = (input: unknown, previous?: object) =>
    gateway.post('/v1/responses', { model: 'demo', input, tools, ...previous }, { 'session-id': 'thread-1' })
  const first = (await (await ask('call weather@Paris')).json()) as OpenAI.Responses.Response
  const session = Reflect.get(first, 'session_id')
  const [call] = callsOf(first)
  const summary = [
    { role: 'user', content: 'Summary: the weather was asked.' },
    { type: 'function_call', call_id: call?.call_id, name: 'weather', arguments: '{"city":"Paris"}' },
    { type: 'function_call_output', call_id: call?.call_id, output: 'sunny' },
  ]
  expect(await (await ask(summary)).json()).toMatchObject({ status: 'completed' })
  expect((await gateway.get(`/api/sessions/${session}`)).status).not.toBe('waiting')
})

describe('a stream', () => {
  test('is read by the stream helper, whose end holds everything', async () => {
    const stream = gateway.openai.responses.stream({ model: 'demo', input: 'think and say hi', tools })
    const seen: string[] = []
    for await (const event of stream) seen.push(event.type)
    const final = await stream.finalResponse()
    expect(final.output_text).toBe('hi')
    expect(seen.slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
    expect(seen.at(-1)).toBe('response.completed')
  })

  test('of a refusal has it as its own part', async () => {
    const stream = gateway.openai.responses.stream({ model: 'demo', input: 'decline not this', tools })
    const deltas: string[] = []
    for await (const event of stream) if (event.type === 'response.refusal.delta') deltas.push(event.delta)
    const { status, output, output_text } = await stream.finalResponse()
    expect([status, output_text, deltas.join('')]).toEqual(['completed', '', 'not this'])
    expect(output).toMatchObject([{ type: 'message', content: [{ type: 'refusal', refusal: 'not this' }] }])
  })

  test('that is cancelled while it is read ends without an error, with what was said', async () => {
    const stream = gateway.openai.responses.stream({ model: 'demo', input: 'hang', tools })
    let id = ''
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.output_text.delta') await gateway.openai.responses.cancel(id)
    }
    expect(await stream.finalResponse()).toMatchObject({
      id,
      status: 'cancelled',
      output: [{ content: [{ text: 'half ' }] }],
    })
  })

  test('that fails after its start throws', async () => {
    const stream = await gateway.openai.responses.create({
      model: 'demo',
      input: 'fail model_overloaded 529 late',
      stream: true,
    })
    gateway.model.open()
    await expect(Array.fromAsync(stream)).rejects.toThrow('No.')
  })

  test.for([
    ['fail model_rate_limited 429', 429, 'rate_limit_exceeded'],
    ['fail model_overloaded 529', 503, 'server_is_overloaded'],
    ['fail context_too_long', 400, 'context_length_exceeded'],
    // A provider may call it 413, which is 400 here.
    ['fail context_too_long 413', 400, 'context_length_exceeded'],
  ] as const)('of "%s" has the status %d', async ([input, status, code]) => {
    const response = await gateway.post('/v1/responses', { model: 'demo', input, stream: true })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      error: { code, message: 'No.', type: expect.any(String), param: null },
    })
  })

  test('ends every frame in the framing of this API', async () => {
    const response = await gateway.post('/v1/responses', { model: 'demo', input: 'say hi', stream: true })
    const frames = (await response.text()).split('\n\n').filter(frame => frame !== '')
    expect(frames.at(-1)).toBe('data: [DONE]')
    for (const frame of frames.slice(0, -1)) {
      const [event = '', data = '', ...more] = frame.split('\n')
      expect(more).toEqual([])
      expect(event).toBe(`event: ${JSON.parse(data.slice('data: '.length)).type}`)
    }
  })
})

describe('a stored response', () => {
  const stream = async (input: string): Promise<readonly Event[]> =>
    Array.fromAsync(await gateway.openai.responses.create({ model: 'demo', input, tools, stream: true }))
  const idOf = ([first]: readonly Event[]): string =>
    first?.type === 'response.created' ? first.response.id : ''

  test('is the same when it is read again, whole and after every event', async () => {
    const events = await stream('think and say hi and call weather@Paris')
    const id = idOf(events)
    const last = events.at(-1)
    const whole = await gateway.openai.responses.retrieve(id)
    expect(last?.type === 'response.completed' && whole).toMatchObject(
      last?.type === 'response.completed' ? { ...last.response } : {},
    )
    for (const [n, { sequence_number }] of events.entries()) {
      const rest = await gateway.openai.responses.retrieve(id, {
        stream: true,
        starting_after: sequence_number,
      })
      expect(await Array.fromAsync(rest)).toEqual(events.slice(n + 1))
    }
    const again = gateway.openai.responses.stream({ response_id: id })
    expect((await again.finalResponse()).status).toBe('completed')
  })

  test('is not read again into the session: its next request still continues it', async () => {
    const first = await gateway.openai.responses.create({ model: 'demo', input: 'say a' }).withResponse()
    await Array.fromAsync(await gateway.openai.responses.retrieve(first.data.id, { stream: true }))
    const second = await gateway.openai.responses
      .create({ model: 'demo', input: 'say b', previous_response_id: first.data.id })
      .withResponse()
    expect(second.data.output_text).toBe('b')
    expect(second.response.headers.get('x-session-id')).toBe(first.response.headers.get('x-session-id'))
    expect(gateway.model.requests[1]?.messages.map(message => message.role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
  })

  test('can be continued any number of times, and its instructions are not carried over', async () => {
    const create = (
      input: string | Input,
      previous_response_id: string | null = null,
      instructions?: string,
    ) =>
      gateway.openai.responses
        .create({
          model: 'demo',
          input,
          tools,
          previous_response_id,
          ...(instructions ? { instructions } : {}),
        })
        .withResponse()
    const first = await create('call weather@Paris', null, 'One.')
    const [call] = callsOf(first.data)
    const output: Input = [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'ok' }]
    const second = await create(output, first.data.id)
    expect(second.data.output_text).toBe('got ok')
    const third = await create('say c', second.data.id, 'Two.')
    const other = await create('say d', second.data.id)
    expect([third.data.output_text, other.data.output_text]).toEqual(['c', 'd'])
    const system = gateway.model.requests.map(({ messages }) =>
      messages.flatMap(message => (message.role === 'system' ? message.content : [])),
    )
    expect(system.slice(2)).toEqual([[{ type: 'text', text: 'Two.' }], []])
    expect(other.response.headers.get('x-session-id')).not.toBe(third.response.headers.get('x-session-id'))
  })

  test('gives its items to requests that refer to them', async () => {
    const first = await gateway.openai.responses.create({ model: 'demo', input: 'say a', tools })
    const [item] = first.output
    const input: Input = [
      { role: 'user', content: 'say a' },
      { type: 'item_reference', id: item?.id ?? '' },
      { role: 'user', content: 'say b' },
    ]
    const second = await gateway.openai.responses.create({ model: 'demo', input, tools })
    expect(second.output_text).toBe('b')
    expect(gateway.model.requests[1]?.messages[1]).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'a' }],
    })
    const unknown = gateway.openai.responses.create({
      model: 'demo',
      input: [{ type: 'item_reference', id: 'msg_no_1_0' }],
    })
    await expect(unknown).rejects.toMatchObject({ status: 400, param: 'input.0' })
  })

  test('is not there when it was not to be stored, or never was', async () => {
    const hidden = await gateway.openai.responses.create({ model: 'demo', input: 'say a', store: false })
    await expect(gateway.openai.responses.retrieve(hidden.id)).rejects.toMatchObject({ status: 404 })
    await expect(gateway.openai.responses.retrieve('resp_x_1')).rejects.toMatchObject({ status: 404 })
    const create = (previous_response_id: string) =>
      gateway.openai.responses.create({ model: 'demo', input: 'say b', previous_response_id })
    for (const id of [hidden.id, 'resp_x_1', 'nonsense'])
      await expect(create(id)).rejects.toMatchObject({
        status: 400,
        code: 'previous_response_not_found',
        param: 'previous_response_id',
      })
  })

  test('runs in the background, and can be cancelled twice', async () => {
    const queued = await gateway.openai.responses.create({ model: 'demo', input: 'hang', background: true })
    expect(queued.status).toBe('queued')
    const running = await gateway.openai.responses.retrieve(queued.id)
    expect(running.status).toBe('in_progress')
    const cancelled = await gateway.openai.responses.cancel(queued.id)
    expect(cancelled).toMatchObject({ id: queued.id, status: 'cancelled' })
    expect(await gateway.openai.responses.cancel(queued.id)).toEqual(cancelled)
    const events = await Array.fromAsync(await gateway.openai.responses.retrieve(queued.id, { stream: true }))
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'cancelled', incomplete_details: { reason: 'cancelled' } },
    })
  })
})

describe('rejections', () => {
  test.for([
    [{}, 'input'],
    [{ input: [] }, null],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
      'input.0.content.0.file_id',
    ],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input.0.call_id'],
    [{ input: 'x', tools: [{ type: 'function', name: 'a b' }] }, 'tools.0.name'],
    [{ input: 'x', tool_choice: { type: 'file_search' } }, 'tool_choice'],
    [{ input: 'x', top_logprobs: 3 }, 'top_logprobs'],
    [{ input: 'x', prompt: { id: 'p' } }, 'prompt'],
  ] as const)('%j names %s', async ([body, param]) => {
    const response = await gateway.post('/v1/responses', { model: 'demo', ...body })
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: object }
    expect(error).toMatchObject({ code: null, type: 'invalid_request_error', ...(param ? { param } : {}) })
  })

  test('a WebSocket is rejected with 426', async () => {
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' }
    const { request } = await import('node:http')
    const status = await new Promise(resolve =>
      request(`${gateway.url}/v1/responses`, { headers: upgrade }, response =>
        resolve(response.statusCode),
      ).end(),
    )
    expect(status).toBe(426)
  })
})

test('the agents SDK runs a tool in its default mode', async () => {
  setTracingDisabled(true)
  const weather = tool({
    name: 'weather',
    description: 'Weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  })
  const model = new OpenAIResponsesModel(gateway.openai, 'demo')
  const agent = new Agent({ name: 'a', instructions: 'Be brief.', model, tools: [weather] })
  const result = await run(agent, 'think and call weather@Paris')
  expect(result.finalOutput).toBe('got sunny in Paris')
  const streamed = await run(agent, 'call weather@Oslo', { stream: true })
  await streamed.completed
  expect(streamed.finalOutput).toBe('got sunny in Oslo')
})
