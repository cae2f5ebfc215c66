/** POST /v1/messages through the real `@anthropic-ai/sdk` client. */
import Anthropic from '@anthropic-ai/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

type Messages = Anthropic.MessageParam[]
const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}
const base = { model: 'demo', max_tokens: 100, tools: [weather] }
const callsOf = (message: { content: readonly { type: string }[] }) =>
  message.content.filter((block): block is Anthropic.ToolUseBlock => block.type === 'tool_use')

test('a whole message has blocks, a stop reason and absolute usage', async () => {
  const { data, response } = await gateway.anthropic.messages
    .create({ model: 'demo', max_tokens: 9, messages: [{ role: 'user', content: 'think and say hello' }] })
    .withResponse()
  expect(data).toMatchObject({
    type: 'message',
    role: 'assistant',
    model: 'demo',
    content: [
      { type: 'thinking', thinking: 'let me see', signature: 'sig-1' },
      { type: 'text', text: 'hello' },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
  })
  expect(response.headers.get('request-id')).toBeTruthy()
  expect(gateway.model.requests[0]?.max_tokens).toBe(9)
})

test('parallel calls, their results and a further message stay in one session', async () => {
  const messages: Messages = [{ role: 'user', content: 'say wait and call weather@Paris, weather@Oslo' }]
  const first = await gateway.anthropic.messages.stream({ ...base, messages }).finalMessage()
  expect(first.stop_reason).toBe('tool_use')
  expect(callsOf(first).map(call => call.input)).toEqual([{ city: 'Paris' }, { city: 'Oslo' }])
  messages.push({ role: 'assistant', content: first.content })
  messages.push({
    role: 'user',
    content: callsOf(first).map((call, i) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: `result ${i}`,
    })),
  })
  const second = await gateway.anthropic.messages.create({ ...base, messages })
  expect(second.content).toMatchObject([{ type: 'text', text: 'got result 0 | result 1' }])
  messages.push({ role: 'assistant', content: second.content }, { role: 'user', content: 'say bye' })
  const third = await gateway.anthropic.messages.create({ ...base, messages })
  expect(third.content).toMatchObject([{ type: 'text', text: 'bye' }])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})

test('words beside the results are answered together with them, in the session that waits', async () => {
  const messages: Messages = [{ role: 'user', content: 'think and call weather@Paris' }]
  const first = await gateway.anthropic.messages.create({ ...base, messages })
  const [call] = callsOf(first)
  messages.push({ role: 'assistant', content: first.content })
  messages.push({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: call?.id ?? '', content: 'sunny' },
      { type: 'text', text: 'say thanks' },
    ],
  })
  const second = await gateway.anthropic.messages.create({ ...base, messages })
  expect(second.content).toMatchObject([{ type: 'text', text: 'thanks' }])
  expect(gateway.model.requests[1]?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', provider: 'anthropic', content: [{ signature: 'sig-1' }, { type: 'tool_use' }] },
    { role: 'tool', results: [{ output_text: 'sunny' }] },
    { role: 'user', content: [{ text: 'say thanks' }] },
  ])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  messages.push({ role: 'assistant', content: second.content }, { role: 'user', content: 'say bye' })
  const third = await gateway.anthropic.messages.create({ ...base, messages })
  expect(third.content).toMatchObject([{ type: 'text', text: 'bye' }])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  expect(gateway.model.requests[2]?.messages).toHaveLength(6)
})

const runnable = {
  ...weather,
  type: 'custom' as const,
  run: ({ city }: { city: string }) => `sunny in ${city}`,
  parse: (content: unknown) => content as { city: string },
}

test.each([false, true])("the client's own tool runner works, by threads (stream %j)", async stream => {
  const runner = gateway.anthropic.beta.messages.toolRunner({
    model: 'demo',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'call weather@Paris, weather@Oslo' }],
    tools: [runnable],
    stream,
  })
  const last = await runner.runUntilDone()
  expect(last.content).toMatchObject([{ type: 'text', text: 'got sunny in Paris | sunny in Oslo' }])
  expect(gateway.model.requests).toHaveLength(2)
  expect(gateway.model.requests[1]?.tools.map(tool => tool.name)).toEqual(['weather'])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})

const raw = async (body: object, headers: Record<string, string> = {}) => {
  const response = await gateway.post('/v1/messages?beta=true', { ...base, ...body }, headers)
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  return { status: response.status, body: (await response.json()) as any }
}
const proceed = (previous_message_id: string, content: unknown, more: object = {}) =>
  raw({
    tools: undefined,
    thread: { type: 'continue', previous_message_id },
    messages: [{ role: 'user', content }],
    ...more,
  })

test('a thread continues by the id of its latest response, with only the new input', async () => {
  const first = await raw({ thread: { type: 'create' }, messages: [{ role: 'user', content: 'say a' }] })
  const second = await proceed(first.body.id, 'call weather@Paris')
  const [call] = second.body.content
  const third = await proceed(second.body.id, [
    { type: 'tool_result', tool_use_id: call.id, content: 'sunny' },
    { type: 'text', text: 'say b' },
  ])
  expect(third.body.content).toMatchObject([{ text: 'b' }])
  expect(gateway.model.requests.at(-1)?.messages.map(message => message.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'tool',
    'user',
  ])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  const fourth = await proceed(third.body.id, 'say c', { max_tokens: 7 })
  expect(fourth.body.content).toMatchObject([{ text: 'c' }])
  expect(gateway.model.requests.at(-1)?.max_tokens).toBe(7)
})

test('a thread that cannot continue is rejected with the code that clients act on', async () => {
  const first = await raw({ thread: { type: 'create' }, messages: [{ role: 'user', content: 'say a' }] })
  await proceed(first.body.id, 'say b')
  const again = await proceed(first.body.id, 'say c')
  expect(again).toMatchObject({
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', details: { error_code: 'thread_already_continued' } },
    },
  })
  for (const id of ['msg_01XYZ', 'msg_nobody_3', 'msg_x'])
    expect(await proceed(id, 'hi')).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } } },
    })
  const next = await raw({ messages: [{ role: 'user', content: 'say d' }] })
  expect(await proceed(next.body.id, 'hi', { tools: [weather] })).toMatchObject({
    status: 400,
    body: { error: { details: { error_code: 'thread_fingerprint_mismatch' } } },
  })
})

test('a thread that is being continued says so', async () => {
  const first = await raw({ messages: [{ role: 'user', content: 'say a' }] })
  const leave = new AbortController()
  const hanging = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...base,
      tools: undefined,
      stream: true,
      thread: { type: 'continue', previous_message_id: first.body.id },
      messages: [{ role: 'user', content: 'hang' }],
    }),
    signal: leave.signal,
  })
  expect(await proceed(first.body.id, 'say b')).toMatchObject({
    body: { error: { details: { error_code: 'thread_continue_in_flight' } } },
  })
  leave.abort()
  await hanging.text().catch(() => '')
})

test('a failing run is an error of the API: before the stream, and inside it', async () => {
  await expect(
    gateway.anthropic.messages.create({
      ...base,
      messages: [{ role: 'user', content: 'fail model_overloaded 529' }],
    }),
  ).rejects.toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } })
  const stream = gateway.anthropic.messages.stream({
    ...base,
    messages: [{ role: 'user', content: 'fail model_unavailable 502 late' }],
  })
  stream.on('text', () => gateway.model.open())
  await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIError)
})

test.each(['2023-06-01', '2026-10-21'])('version %s is spoken', async version => {
  const answer = await raw(
    { messages: [{ role: 'user', content: 'say hi' }] },
    { 'anthropic-version': version, 'anthropic-beta': 'anything-at-all' },
  )
  expect(answer).toMatchObject({ status: 200, body: { content: [{ text: 'hi' }] } })
})

test('every event is named, and nothing but the wire’s own events is sent', async () => {
  const response = await gateway.post('/v1/messages', {
    ...base,
    stream: true,
    messages: [{ role: 'user', content: 'say hi and call weather@Paris' }],
  })
  const data = await readData(response)
  expect(data.map(event => event.type).filter(type => type !== 'content_block_delta')).toEqual([
    'message_start',
    'content_block_start',
    'content_block_stop',
    'content_block_start',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
})

test('tokens are counted before asking, and the probe of the root is answered', async () => {
  const { input_tokens } = await gateway.anthropic.messages.countTokens({
    model: 'demo',
    messages: [{ role: 'user', content: 'x'.repeat(400) }],
  })
  expect(input_tokens).toBeGreaterThan(100)
  expect((await fetch(gateway.url, { method: 'HEAD' })).status).toBe(200)
})

test('an unknown field value is refused in the shape of the API', async () => {
  expect(await raw({ messages: [{ role: 'user', content: [{ type: 'hologram' }] }] })).toMatchObject({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error' }, request_id: expect.any(String) },
  })
})
