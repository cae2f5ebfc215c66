/** Every wire in front of every provider API: parallel calls, their results and the same words, over strict upstreams. */
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { createKeyPool, createModelFinder } from '@toolwire/models'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let upstream: FakeUpstream
let gateway: Gateway

beforeEach(async () => {
  upstream = await startFakeUpstream()
  const entry = { keys: createKeyPool(['key']), retries: 0 }
  const entries = [
    { ...entry, name: 'anthropic-api', api: 'anthropic', baseUrl: upstream.url },
    { ...entry, name: 'chat-api', api: 'openai-chat', baseUrl: `${upstream.url}/v1` },
    { ...entry, name: 'responses-api', api: 'openai-responses', baseUrl: `${upstream.url}/v1` },
  ] as const
  const models = createModelFinder({ demo: createDemoModel({ paceMs: 0 }), providers: () => entries })
  gateway = await startGateway({ models, config: { checkModel: id => void models(id) } })
})
afterEach(async () => {
  await gateway.close()
  await upstream.close()
})

const QUESTION = 'What is the weather in Paris?'
const { parameters } = chatTool('get_weather').function
const description = 'Get the weather of a city'

interface Outcome {
  readonly calls: readonly string[]
  readonly text: string
}

/** Asks, answers every call with `sunny`, and returns the last words. */
type Client = (model: string) => Promise<Outcome>

const CLIENTS: Readonly<Record<string, Client>> = {
  async 'openai-chat'(model) {
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', description, parameters } }]
    const asked = { role: 'user' as const, content: QUESTION }
    const first = await gateway.openai.chat.completions
      .stream({ model, messages: [asked], tools })
      .finalMessage()
    const calls = first.tool_calls ?? []
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sunny' }))
    const messages = [asked, first, ...results]
    const last = await gateway.openai.chat.completions.stream({ model, messages, tools }).finalMessage()
    return { calls: calls.map(call => call.id), text: last.content ?? '' }
  },
  async 'anthropic-messages'(model) {
    const body = {
      model,
      max_tokens: 500,
      tools: [{ name: 'get_weather', description, input_schema: parameters as { type: 'object' } }],
    }
    const asked = { role: 'user' as const, content: QUESTION }
    const first = await gateway.anthropic.messages.stream({ ...body, messages: [asked] }).finalMessage()
    const calls = first.content.flatMap(one => (one.type === 'tool_use' ? [one.id] : []))
    const content = calls.map(id => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }))
    const messages = [
      asked,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content },
    ]
    const last = await gateway.anthropic.messages.stream({ ...body, messages }).finalMessage()
    return { calls, text: last.content.map(one => (one.type === 'text' ? one.text : '')).join('') }
  },
  async 'openai-responses'(model) {
    const tools = [{ type: 'function' as const, name: 'get_weather', description, parameters, strict: false }]
    const first = await gateway.openai.responses.stream({ model, input: QUESTION, tools }).finalResponse()
    const calls = first.output.flatMap(item => (item.type === 'function_call' ? [item.call_id] : []))
    const input = calls.map(call_id => ({ type: 'function_call_output' as const, call_id, output: 'sunny' }))
    const last = await gateway.openai.responses
      .stream({ model, input, tools, previous_response_id: first.id })
      .finalResponse()
    return { calls, text: last.output_text }
  },
  async chat(model) {
    const tools = [{ name: 'get_weather', description, input_schema: parameters }]
    const created = await (await gateway.post('/api/sessions', { model })).json()
    const { id } = created.session ?? created
    const body = { session_id: id, message: QUESTION, model, tools }
    const frames = await readData(await gateway.post('/api/chat/stream', body))
    const calls = frames.filter(frame => frame.type === 'tool_use').map(frame => frame.tool.id as string)
    const tool_outputs = calls.map(tool_use_id => ({ tool_use_id, output: 'sunny' }))
    const last = await readData(await gateway.post('/api/chat/stream', { session_id: id, tool_outputs }))
    return { calls, text: last.find(frame => frame.type === 'result')?.data.result ?? '' }
  },
}

describe.each(Object.entries(CLIENTS))('a client of the wire %s', (_name, ask) => {
  test.each(['anthropic-api', 'chat-api', 'responses-api'])(
    'runs its tools with a model of %s',
    async name => {
      const { calls, text } = await ask(`${name}/some-model`)
      expect(calls.length).toBeGreaterThan(0)
      expect(new Set(calls).size).toBe(calls.length)
      expect(text).toContain('sunny')
      expect(upstream.requests).toHaveLength(2)
      const paths = {
        'anthropic-api': '/v1/messages',
        'chat-api': '/v1/chat/completions',
        'responses-api': '/v1/responses',
      }
      for (const request of upstream.requests) expect(request.path).toBe(Reflect.get(paths, name))
      expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
    },
  )
})
