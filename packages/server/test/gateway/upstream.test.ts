/** From a vendor's client through the gateway to a vendor's API and back: all four pairs, strict upstreams. */
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { modelsBehind } from './models-behind.ts'
import { readData } from './sse.ts'

let upstream: FakeUpstream
let gateway: Gateway

beforeEach(async () => {
  upstream = await startFakeUpstream()
  const models = modelsBehind(upstream.url)
  gateway = await startGateway({ models, config: { checkModel: id => void models(id) } })
})
afterEach(async () => {
  await gateway.close()
  await upstream.close()
})

const MODELS = ['anthropic/claude-test', 'openai/gpt-test']
const question = 'What is the weather in Paris?'
// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
const sent = (n: number): any => upstream.requests.at(n)?.body

test.each(MODELS)('the openai client runs its tools with %s behind the gateway', async model => {
  const runner = gateway.openai.chat.completions.runTools({
    model,
    stream: true,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: question },
    ],
    tools: [
      {
        type: 'function',
        function: {
          ...chatTool('get_weather').function,
          description: 'Get the weather of a city',
          parse: JSON.parse,
          function: ({ city }: { city: string }) => `sunny in ${city}`,
        },
      },
    ],
  })
  expect(await runner.finalContent()).toContain('sunny in Paris')
  expect(upstream.requests).toHaveLength(2)
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  if (model.startsWith('openai')) {
    expect(sent(-1).messages.map((message: { role: string }) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ])
  } else {
    expect(sent(-1).system).toMatchObject([{ type: 'text', text: 'Be brief.' }])
    expect(sent(-1).messages.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'tool_result' }] })
    expect(sent(-1).messages.at(-1).content[0].tool_use_id).toBe(sent(-1).messages.at(-2).content.at(-1).id)
  }
})

test.each(MODELS)('the Anthropic client runs its tools with %s behind the gateway', async model => {
  const message = await gateway.anthropic.beta.messages.toolRunner({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user', content: question }],
    tools: [
      {
        type: 'custom',
        name: 'get_weather',
        description: 'Get the weather of a city',
        input_schema: { type: 'object', properties: { city: { type: 'string' } } },
        parse: (input: unknown) => input as { city: string },
        run: ({ city }: { city: string }) => `sunny in ${city}`,
      },
    ],
  })
  expect(JSON.stringify(message.content)).toContain('sunny in Paris')
  expect(upstream.requests).toHaveLength(2)
})

test.each(MODELS)('the status and the patience that %s asks for reach the client', async model => {
  upstream.strike('429;retry-after=7')
  const response = await gateway.post('/v1/chat/completions', {
    model,
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('7')
  expect((await response.json()).error.type).toBe('rate_limit_error')
})

test.each(MODELS)(
  'an answer of %s that is cut off is an error for the client, never a short answer',
  async model => {
    for (const fault of ['cut-frame', 'cut-clean', 'error-event', 'reset']) {
      upstream.strike(fault)
      const messages = [{ role: 'user' as const, content: 'Hello, tell me something long' }]
      const read = gateway.openai.chat.completions.stream({ model, messages }).finalChatCompletion()
      await expect(read, fault).rejects.toThrow()
      upstream.strike(fault)
      const whole = gateway.anthropic.messages.create({ model, max_tokens: 100, messages })
      await expect(whole, fault).rejects.toMatchObject({ status: expect.any(Number) })
    }
  },
)

test('settings arrive in the words of the upstream', async () => {
  await gateway.post('/v1/chat/completions', {
    model: 'anthropic/claude-test',
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [chatTool('get_weather')],
    tool_choice: 'required',
    parallel_tool_calls: false,
    max_completion_tokens: 77.7,
    stop: 'END',
    temperature: 1.7,
  })
  expect(sent(-1)).toMatchObject({
    max_tokens: 78,
    stop_sequences: ['END'],
    temperature: 1,
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
  })
})

test('a history with every kind of flaw is taken by a strict upstream', async () => {
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'get_weather', arguments: args },
  })
  const response = await gateway.post('/v1/chat/completions', {
    model: 'anthropic/claude-test',
    stream: true,
    tools: [chatTool('get_weather')],
    messages: [
      { role: 'assistant', content: 'I begin.' },
      { role: 'user', content: '' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '', tool_calls: [call('a.b:0', '{"city":'), call('c', '')] },
      { role: 'user', content: 'meanwhile' },
      { role: 'tool', tool_call_id: 'c', content: 'first' },
      { role: 'tool', tool_call_id: 'c', content: 'second' },
      { role: 'tool', tool_call_id: 'nobody', content: 'stray' },
      { role: 'assistant', content: 'so' },
      { role: 'system', content: 'remember' },
      { role: 'user', content: 'Hello' },
    ],
  })
  expect(response.status).toBe(200)
  expect((await readData(response)).at(-1)).toBe('[DONE]')
  const { messages } = sent(-1)
  expect(messages.map((message: { role: string }) => message.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ])
  const [uses, results] = [messages[3].content, messages[4].content]
  expect(results.slice(0, 2).map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(
    uses.map((block: { id: string }) => block.id),
  )
})

test.each(MODELS)(
  'the answer names %s as the request did, and the upstream’s own id in a header',
  async model => {
    for (const stream of [false, true]) {
      const response = await gateway.post('/v1/chat/completions', {
        model,
        stream,
        messages: [{ role: 'user', content: 'Hello' }],
      })
      expect(response.headers.get('x-upstream-model')).toBe(model.split('/')[1])
      const answers = stream ? (await readData(response)).slice(0, -1) : [await response.json()]
      expect(new Set(answers.map(answer => answer.model))).toEqual(new Set([model]))
      expect(new Set(answers.map(answer => `${answer.id} ${answer.created}`)).size).toBe(1)
    }
  },
)

test.each([
  ['anthropic/claude-opus-4-8', ['user', 'system', 'assistant', 'user'], []],
  ['anthropic/claude-sonnet-4-5', ['user', 'assistant', 'user'], ['system_in_text']],
  ['openai/gpt-test', ['system', 'user', 'system', 'assistant', 'user'], []],
])(
  'a system message in the middle reaches %s in its place, also of a strict request',
  async (model, roles, told) => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
      { role: 'developer', content: 'Be kind.' },
      { role: 'assistant', content: 'hi' },
      { role: 'user', content: question },
    ]
    const strict = { 'x-tool-repair': 'strict' }
    const response = await gateway.post('/v1/chat/completions', { model, messages }, strict)
    const { warnings = [] } = await response.json()
    expect(response.status).toBe(200)
    expect(warnings.map((warning: { code: string }) => warning.code)).toEqual(told)
    expect(sent(-1).messages.map((message: { role: string }) => message.role)).toEqual(roles)
    expect(JSON.stringify(sent(-1).messages)).toContain('Be kind.')
  },
)

test('a client that leaves ends the upstream request too, and what it used until then is kept', async () => {
  upstream.strike('silence;after=6')
  const leave = new AbortController()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'anthropic/claude-test',
      stream: true,
      messages: [{ role: 'user', content: 'Hello, tell me something long' }],
    }),
    signal: leave.signal,
  })
  const session = response.headers.get('x-session-id') ?? ''
  const reader = response.body?.getReader()
  await reader?.read()
  leave.abort()
  await gateway.left()
  await gateway.settled()
  const log = await gateway.store.read(session, 0, 10_000)
  const end = log.findLast(({ ev }) => ev.type === 'run.cancelled')?.ev
  expect(end).toMatchObject({ reason: 'the client went away' })
  expect(end?.type === 'run.cancelled' && end.usage_by_model[0]?.usage.input).toBeGreaterThan(0)
  expect(log.filter(({ ev }) => ev.type === 'message.aborted')).toHaveLength(1)
})
