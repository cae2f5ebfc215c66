/** No change is silent: header, field, log; and strict requests are refused instead. */
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { createModelFinder } from '@toolwire/models'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let upstream: FakeUpstream
let gateway: Gateway
beforeEach(async () => {
  upstream = await startFakeUpstream()
  const models = createModelFinder({
    demo: createDemoModel({ paceMs: 0 }),
    env: { ANTHROPIC_API_KEY: 'key-a', ANTHROPIC_BASE_URL: upstream.url },
    retry: { maxRetries: 0 },
  })
  gateway = await startGateway({ models })
})
afterEach(async () => {
  await gateway.close()
  await upstream.close()
})

const model = 'anthropic/claude-test'
// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
const sent = (): any => upstream.requests.at(-1)?.body

const MARK = { cache_control: { type: 'ephemeral' } }
const marked = {
  model,
  max_tokens: 100,
  system: [
    { type: 'text', text: 'one', ...MARK },
    { type: 'text', text: 'two', ...MARK },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' }, ...MARK }],
  messages: ['a', 'b', 'c', 'd', 'e'].flatMap(text => [
    { role: 'user', content: [{ type: 'text', text, ...MARK }] },
    { role: 'assistant', content: [{ type: 'text', text, ...MARK }] },
  ]),
}

test('however many cache marks a request has, at most four reach the provider, and the change is reported', async () => {
  const body = { ...marked, messages: [...marked.messages, { role: 'user', content: 'Hello' }] }
  const response = await gateway.post('/v1/messages', body, { 'x-tool-repair': 'strict' })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-toolwire-warnings')).toContain('cache_marks_moved')
  expect((await response.json()).warnings).toMatchObject([{ code: 'cache_marks_moved' }])
  const marks = JSON.stringify(sent()).match(/cache_control/g) ?? []
  expect(marks.length).toBeGreaterThan(0)
  expect(marks.length).toBeLessThanOrEqual(4)
})

test('a search that Anthropic runs reaches it as it was sent, and is left out with a warning elsewhere', async () => {
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
  const body = {
    model,
    max_tokens: 100,
    tools: [search, { name: 'f', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: 'Hello' }],
  }
  expect((await gateway.post('/v1/messages', body)).status).toBe(200)
  expect(sent().tools).toMatchObject([{ name: 'f' }, search])
  const elsewhere = await gateway.post('/v1/messages', { ...body, model: 'demo' })
  expect(elsewhere.status).toBe(200)
  expect(elsewhere.headers.get('x-toolwire-warnings')).toContain('tool_ignored')
})

test('warnings come in the header and in the last chunk of a stream, and strict makes them 400', async () => {
  const body = {
    model: 'demo',
    stream: true,
    store: true,
    tools: [chatTool('weather')],
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'weather', arguments: 'oops' } }] },
      { role: 'tool', tool_call_id: 'x', content: 'sunny' },
      { role: 'user', content: 'Hello' },
    ],
  }
  const response = await gateway.post('/v1/chat/completions', body)
  const codes = ['arguments_wrapped', 'field_ignored']
  for (const code of codes) expect(response.headers.get('x-toolwire-warnings')).toContain(code)
  const data = await readData(response)
  const told = data.flatMap(chunk => chunk.warnings ?? []).map(warning => warning.code)
  for (const code of codes) expect(told).toContain(code)
  const strict = await gateway.post('/v1/chat/completions', body, { 'x-tool-repair': 'strict' })
  expect(strict.status).toBe(400)
  expect(await strict.json()).toMatchObject({
    error: { type: 'invalid_request_error', param: 'messages.1', code: 'bad_request' },
  })
})

test('what the model itself does not support is reported in header and field, and a strict request is rejected before any provider request', async () => {
  const body = {
    model,
    reasoning_effort: 'high',
    temperature: 0.3,
    max_tokens: 9000,
    messages: [{ role: 'user', content: 'Hello' }],
  }
  for (const stream of [false, true]) {
    const response = await gateway.post('/v1/chat/completions', { ...body, stream })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-toolwire-warnings')).toContain('temperature')
    expect(await response.text()).toContain('setting_ignored')
    const asked = upstream.requests.length
    const strict = await gateway.post(
      '/v1/chat/completions',
      { ...body, stream },
      { 'x-tool-repair': 'strict' },
    )
    expect(strict.status).toBe(400)
    expect(await strict.json()).toMatchObject({
      error: { type: 'invalid_request_error', param: 'temperature' },
    })
    expect(upstream.requests).toHaveLength(asked)
  }
  await gateway.settled()
  const { sessions } = await gateway.get('/api/sessions')
  expect(sessions.map((session: { status: string }) => session.status).sort()).toEqual([
    'failed',
    'failed',
    'idle',
    'idle',
  ])
})

test('an unread field, deep inside, is reported in header, field and log, and strict rejects it before any provider request', async () => {
  const picture = { type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'high' } }
  const chat = { model, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, picture] }] }
  const document = {
    type: 'document',
    context: 'c',
    source: { type: 'text', media_type: 'text/plain', data: 'd' },
  }
  const messages = { model, max_tokens: 100, messages: [{ role: 'user', content: [document] }] }
  for (const [path, body, field] of [
    ['/v1/chat/completions', chat, 'messages.0.content.1.image_url.detail'],
    ['/v1/messages', messages, 'messages.0.content.0.context'],
  ] as const) {
    const asked = upstream.requests.length
    const strict = await gateway.post(path, body, { 'x-tool-repair': 'strict' })
    expect(strict.status).toBe(400)
    expect((await strict.json()).error.message).toMatch(field)
    expect(upstream.requests).toHaveLength(asked)
    const response = await gateway.post(path, body)
    expect(response.headers.get('x-toolwire-warnings')).toContain(field)
    expect((await response.json()).warnings).toMatchObject([{ code: 'field_ignored' }])
    const log = await gateway.store.read(response.headers.get('x-session-id') ?? '', 0, 100)
    expect(log.map(({ ev }) => ev)).toContainEqual(
      expect.objectContaining({ type: 'note', name: 'gateway.repairs' }),
    )
  }
})

test('a forced tool beside thinking is rejected before any provider request, or offered with a warning', async () => {
  const body = {
    model,
    max_tokens: 5000,
    reasoning_effort: 'high',
    tools: [chatTool('get_weather')],
    tool_choice: 'required',
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  }
  const refused = await gateway.post('/v1/chat/completions', body)
  expect(refused.status).toBe(400)
  expect((await refused.json()).error).toMatchObject({
    param: 'tool_choice',
    message: expect.stringContaining('reasoning_effort'),
  })
  expect(upstream.requests).toHaveLength(0)
  const downgraded = await gateway.post('/v1/chat/completions', body, { 'x-forced-tool': 'downgrade' })
  expect(downgraded.status).toBe(200)
  expect(downgraded.headers.get('x-toolwire-warnings')).toContain('tool_choice_downgraded')
  expect(sent().tool_choice).toEqual({ type: 'auto' })
  expect(sent().thinking).toMatchObject({ type: 'adaptive' })
  const odd = await gateway.post('/v1/chat/completions', body, { 'x-forced-tool': 'maybe' })
  expect(odd.status).toBe(400)
})
