/** How answers travel: chunks, errors, warnings, a client that leaves. */
import { AppError } from '@toolwire/core'
import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const say = (content: string, more: object = {}) => ({
  model: 'demo',
  messages: [{ role: 'user' as const, content }],
  ...more,
})
const post = (body: object, headers?: Record<string, string>) =>
  gateway.post('/v1/chat/completions', body, headers)

test('a stream carries text as it comes, ends with a reason, usage when asked, and [DONE]', async () => {
  const response = await post(say('say hello', { stream: true, stream_options: { include_usage: true } }))
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const data = await readData(response)
  expect(data.map(chunk => chunk.choices?.[0]?.delta.content ?? '').join('')).toBe('hello')
  expect(data.at(-3).choices[0].finish_reason).toBe('stop')
  expect(data.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 20 } })
  expect(data.at(-1)).toBe('[DONE]')
})

test.each([false, true])(
  'a run that fails at once is an HTTP error with the status of the upstream (stream %j)',
  async stream => {
    const response = await post(say('fail model_rate_limited 429', { stream }))
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(response.headers.get('retry-after-ms')).toBe('1500')
    expect(await response.json()).toEqual({
      error: { message: 'No.', type: 'rate_limit_error', param: null, code: 'model_rate_limited' },
    })
  },
)

test('an overloaded upstream is 503', async () => {
  expect((await post(say('fail model_overloaded 529'))).status).toBe(503)
})

test('a failure in mid-stream reaches the client as its own error', async () => {
  const stream = await gateway.openai.chat.completions.create({
    ...say('fail model_unavailable 502 late'),
    stream: true,
  })
  let text = ''
  const read = async () => {
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      gateway.model.open()
    }
  }
  await expect(read()).rejects.toThrow(OpenAI.APIError)
  expect(text).toBe('half ')
})

test('refusals have the shape that clients of OpenAI know', async () => {
  const refused = gateway.openai.chat.completions.create({ ...say('x'), n: 2 })
  await expect(refused).rejects.toMatchObject({ status: 400, param: 'n', type: 'invalid_request_error' })
  const missing = await post('not an object' as unknown as object)
  expect(missing.status).toBe(400)
  const nowhere = await gateway.get('/v1/nowhere')
  expect(nowhere).toMatchObject({ error: { type: 'not_found_error', code: 'not_found' } })
  const wrong = await fetch(`${gateway.url}/v1/chat/completions`)
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
})

test('a change to the request is reported in a header and in the response; a strict request is rejected', async () => {
  const body = say('say ok', { model: 'claude-x', temperature: 1.5 })
  const response = await post(body)
  const warnings = [{ code: 'temperature_clamped', message: expect.any(String) }]
  expect(JSON.parse(response.headers.get('x-toolwire-warnings') ?? '')).toEqual(warnings)
  expect((await response.json()).warnings).toEqual(warnings)
  const streamed = await readData(await post({ ...body, stream: true }))
  expect(streamed.at(-2).warnings).toEqual(warnings)
  expect((await post(body, { 'x-tool-repair': 'strict' })).status).toBe(400)
})

test('many warnings in any language fit into the header, and the response lists up to 100', async () => {
  const stray = Array.from({ length: 200 }, (_, i) => ({
    role: 'tool',
    tool_call_id: `调用_${i}`,
    content: 'x',
  }))
  const response = await post({
    model: 'demo',
    messages: [...stray, { role: 'assistant', content: 'b' }, { role: 'user', content: 'say ok' }],
  })
  const header = JSON.parse(response.headers.get('x-toolwire-warnings') ?? '')
  expect(header.length).toBeGreaterThan(1)
  expect(header[1].message).toContain('调用_1')
  const { warnings } = await response.json()
  expect(warnings).toHaveLength(101)
  expect(warnings.at(-1)).toMatchObject({ code: 'more_warnings' })
})

test.each([false, true])('a client that leaves cancels the run (stream %j)', async stream => {
  const leave = new AbortController()
  const asked = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(say('hang', { stream })),
    signal: leave.signal,
  })
  if (stream) {
    const reader = (await asked).body?.getReader()
    await reader?.read()
    leave.abort()
  } else {
    const heard = expect(asked).rejects.toThrow()
    while (gateway.model.requests.length === 0) await new Promise(resolve => setImmediate(resolve))
    leave.abort()
    await heard
  }
  await gateway.model.aborted
  await gateway.settled()
  const { sessions } = await gateway.get('/api/sessions')
  const log = await gateway.store.read(sessions[0].id, 0, 1000)
  expect(log.map(({ ev }) => ev.type).slice(-3)).toEqual(['input.cancel', 'message.aborted', 'run.cancelled'])
})

test('a silent model costs the client nothing but heartbeats', async () => {
  await gateway.close()
  gateway = await startGateway({ config: { heartbeatMs: 20 } })
  const leave = new AbortController()
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(say('silence', { stream: true, max_tokens: 5 })),
    signal: leave.signal,
  })
  expect(response.status).toBe(200)
  let text = ''
  const reader = response.body?.getReader()
  while (!text.includes(': hb\n\n')) text += new TextDecoder().decode((await reader?.read())?.value)
  expect(text).toContain('event: ping\ndata: {"type":"ping"}\n\n')
  expect(text.match(/^data: .*$/gm)).toEqual(text.match(/^data: \{"type":"ping"\}$/gm))
  leave.abort()
  await gateway.model.aborted
})

test('while a model thinks, Chat Completions is kept alive by comments alone, and no client notices either', async () => {
  await gateway.close()
  gateway = await startGateway({ config: { heartbeatMs: 20 } })
  const messages = [{ role: 'user' as const, content: 'slow but sure' }]
  const raw = await gateway.post('/v1/chat/completions', say('slow but sure', { stream: true }))
  const chat = gateway.openai.chat.completions.stream({ model: 'demo', messages })
  const message = gateway.anthropic.messages.stream({ model: 'demo', max_tokens: 9, messages })
  const words: string[] = []
  const said = Promise.all([
    new Promise(resolve => chat.on('content', text => resolve(words.push(text)))),
    new Promise(resolve => message.on('text', text => resolve(words.push(text)))),
  ])
  let text = ''
  const reader = raw.body?.getReader()
  const decoder = new TextDecoder()
  while (text.split(': hb\n\n').length < 4)
    text += decoder.decode((await reader?.read())?.value, { stream: true })
  await said
  gateway.model.open()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  expect(text).not.toContain('ping')
  expect(text).toMatch(/\[DONE\]\n\n$/)
  expect((await chat.finalChatCompletion()).choices[0]?.message.content).toBe('half but sure')
  expect((await message.finalMessage()).content.map(block => block.type === 'text' && block.text)).toEqual([
    'half ',
    'but sure',
  ])
})

test('a server that goes down leaves the run to the next start', async () => {
  const response = await post(say('hang', { stream: true }))
  const reader = response.body?.getReader()
  await reader?.read()
  const { sessions } = await gateway.get('/api/sessions')
  const { store } = gateway
  const read = store.read.bind(store)
  let types: readonly string[] = []
  const close = store.close.bind(store)
  Object.assign(store, {
    close: async () => {
      types = (await read(sessions[0].id, 0, 1000)).map(({ ev }) => ev.type)
      await close()
    },
  })
  await gateway.close()
  expect(types).not.toContain('input.cancel')
  expect(types).not.toContain('run.cancelled')
  gateway = await startGateway()
})

test('models are listed in the format of the client’s vendor', async () => {
  await gateway.close()
  const checkModel = (id: string): void => {
    if (id === 'nope') throw new AppError('unknown_model')
  }
  gateway = await startGateway({ config: { listModels: () => ['anthropic/claude-x', 'demo'], checkModel } })
  const ids: string[] = []
  for await (const model of gateway.openai.models.list()) ids.push(model.id)
  expect(ids).toEqual(['demo', 'anthropic/claude-x'])
  expect((await gateway.openai.models.retrieve('demo')).object).toBe('model')
  await expect(gateway.openai.models.retrieve('nope')).rejects.toMatchObject({ status: 404 })
  const page = await gateway.anthropic.models.list()
  expect(page.data.map(model => [model.type, model.id])).toEqual([
    ['model', 'demo'],
    ['model', 'anthropic/claude-x'],
  ])
})

test('an unknown model is 404 model_not_found', async () => {
  await gateway.close()
  gateway = await startGateway({
    config: {
      checkModel: id => {
        if (id !== 'demo') throw new AppError('unknown_model', `No model has the id ${id}.`)
      },
    },
  })
  await expect(gateway.openai.chat.completions.create(say('x', { model: 'nope' }))).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
  })
})

test('a wrong key is refused in the shape of each vendor', async () => {
  await gateway.close()
  gateway = await startGateway({ config: { apiKeys: ['the-right-key'] } })
  await expect(gateway.openai.chat.completions.create(say('x'))).rejects.toMatchObject({
    status: 401,
    type: 'authentication_error',
  })
  await expect(gateway.anthropic.messages.create({ ...say('x'), max_tokens: 5 })).rejects.toMatchObject({
    status: 401,
    error: { type: 'error', error: { type: 'authentication_error' } },
  })
})

test('calls with awkward names keep them', async () => {
  const answer = await gateway.openai.chat.completions.create(say('call a.b@x', { tools: [chatTool('a.b')] }))
  expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'a.b' } })
})
