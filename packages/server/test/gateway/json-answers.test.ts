/** `response_format` on the Chat Completions wire: a setting where there is one, else a hidden tool, else text. */
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { modelsBehind } from './models-behind.ts'
import { readData } from './sse.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
  additionalProperties: false,
}
const response_format = { type: 'json_schema', json_schema: { name: 'trip', strict: true, schema } }
const messages = [{ role: 'user', content: 'Plan a trip to Paris for 3 days' }]

describe('behind an upstream', () => {
  let upstream: FakeUpstream
  let gateway: Gateway
  beforeEach(async () => {
    upstream = await startFakeUpstream()
    const models = modelsBehind(upstream.url)
    gateway = await startGateway({ models })
  })
  afterEach(async () => {
    await gateway.close()
    await upstream.close()
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  const sent = (): any => upstream.requests.at(-1)?.body
  const ask = (body: object) => gateway.post('/v1/chat/completions', { messages, response_format, ...body })

  test('a model that has a setting for it gets the schema, and no tool', async () => {
    expect((await ask({ model: 'anthropic/claude-sonnet-4-5' })).status).toBe(200)
    expect(sent().output_config).toEqual({ format: { type: 'json_schema', schema } })
    expect(sent().tools).toBeUndefined()
    expect((await ask({ model: 'openai/gpt-test' })).status).toBe(200)
    expect(sent().response_format).toEqual(response_format)
  })

  test.each([false, true])('a model without it answers through a hidden tool (stream: %s)', async stream => {
    const response = await ask({ model: 'anthropic/claude-3-5-haiku', stream })
    expect(response.status).toBe(200)
    expect(sent().output_config).toBeUndefined()
    expect(sent().tools).toMatchObject([{ name: 'json_answer', input_schema: schema }])
    expect(sent().tool_choice).toMatchObject({ type: 'tool', name: 'json_answer' })
    const text = await response.text()
    expect(text).not.toContain('"json_answer"')
    expect(text).not.toContain('tool_calls')
    const chunks = stream
      ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
      : [JSON.parse(text)]
    const choices = chunks.flatMap(chunk => chunk.choices)
    const content = choices.map(choice => (choice.message ?? choice.delta).content ?? '').join('')
    expect(Object.keys(JSON.parse(content)).sort()).toEqual(['city', 'days'])
    expect(choices.at(-1).finish_reason).toBe('stop')
    if (stream) expect(choices.filter(choice => choice.delta.content).length).toBeGreaterThan(1)
    expect(response.headers.get('x-toolwire-warnings')).toContain('json_by_tool')
  })

  test('tools of the request stay beside it, keep their names, and come back alone', async () => {
    const tools = [chatTool('json_answer'), { ...chatTool('get_weather') }]
    const question = [{ role: 'user', content: 'What is the weather in Paris?' }]
    const response = await ask({ model: 'anthropic/claude-3-5-haiku', tools, messages: question })
    expect(sent().tools.map((tool: { name: string }) => tool.name)).toEqual([
      'json_answer',
      'get_weather',
      'json_answer_2',
    ])
    expect(sent().tool_choice).toEqual({ type: 'any' })
    const { choices } = await response.json()
    expect(choices[0].finish_reason).toBe('tool_calls')
    expect(
      choices[0].message.tool_calls.map((call: { function: { name: string } }) => call.function.name),
    ).toEqual(['get_weather'])
  })

  test('with thinking nothing is forced: a text asks the model, and the client gets a warning', async () => {
    const response = await ask({
      model: 'anthropic/claude-3-7-sonnet',
      reasoning_effort: 'low',
      max_tokens: 9000,
    })
    expect(response.status).toBe(200)
    expect(sent().thinking).toMatchObject({ type: 'enabled' })
    expect(sent().tool_choice).toEqual({ type: 'auto' })
    expect(JSON.stringify(sent().system)).toContain('json_answer')
    expect(response.headers.get('x-toolwire-warnings')).toContain('json_in_words')
  })

  test('a form that the Messages API asks for reaches a Chat Completions upstream', async () => {
    const response = await gateway.post('/v1/messages', {
      model: 'openai/gpt-test',
      max_tokens: 100,
      messages,
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    })
    expect(response.status).toBe(200)
    expect(sent()).toMatchObject({
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { schema } },
    })
  })
})

test.each([false, true])(
  'the demo model answers with JSON that fits the schema (stream: %s)',
  async stream => {
    const gateway = await startGateway({ models: () => createDemoModel({ paceMs: 0 }) })
    const response = await gateway.post('/v1/chat/completions', {
      model: 'demo',
      messages,
      response_format,
      stream,
    })
    const answers = stream ? await readData(response) : [await response.json()]
    const content = answers
      .flatMap(answer => answer.choices ?? [])
      .map(choice => (choice.message ?? choice.delta).content ?? '')
      .join('')
    expect(JSON.parse(content)).toEqual({ city: expect.any(String), days: 3 })
    const told = await gateway.post('/v1/messages', {
      model: 'demo',
      max_tokens: 1000,
      messages,
      output_config: { format: { type: 'json_schema', schema } },
    })
    expect(JSON.parse((await told.json()).content[0].text)).toEqual({ city: expect.any(String), days: 3 })
    await gateway.close()
  },
)

describe('an answer that was to be JSON', () => {
  let gateway: Gateway
  beforeEach(async () => {
    gateway = await startGateway()
  })
  afterEach(() => gateway.close())
  const ask = (content: string, more: object = {}) =>
    gateway.post('/v1/chat/completions', {
      model: 'demo',
      response_format: { type: 'json_object' },
      messages: [{ role: 'user', content }],
      ...more,
    })

  test('is passed on as it is when it is', async () => {
    const response = await ask('say {"a":1}')
    expect((await response.json()).warnings).toBeUndefined()
    expect(JSON.stringify(gateway.model.requests[0]?.messages[0])).toContain('one JSON object')
  })

  test('and is not, is passed on as it is and marked, in header, field and last chunk', async () => {
    const whole = await ask('say hello')
    expect(whole.headers.get('x-toolwire-warnings')).toContain('invalid_json')
    expect(await whole.json()).toMatchObject({
      warnings: [{ code: 'invalid_json' }],
      choices: [{ message: { content: 'hello' } }],
    })
    const chunks = (await readData(await ask('say hello', { stream: true }))).slice(0, -1)
    expect(chunks.at(-1)).toMatchObject({ warnings: [{ code: 'invalid_json' }] })
  })

  test('and became calls, or was cut off, is not marked', async () => {
    const called = await ask('call weather@Paris', { tools: [chatTool('weather')] })
    expect((await called.json()).warnings).toBeUndefined()
    expect((await (await ask('say {"a and length')).json()).warnings).toBeUndefined()
  })
})
