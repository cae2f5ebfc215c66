/** Arguments reach the client as the model wrote them: once streamed, nothing can be taken back. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const tools = [chatTool('weather')]
const user = (content: string) => ({ role: 'user', content })

async function ask(messages: readonly object[], more: object = {}) {
  const response = await gateway.post('/v1/chat/completions', { model: 'demo', messages, tools, ...more })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  const body = (await response.json()) as any
  return { body, choice: body.choices?.[0], session: response.headers.get('x-session-id') }
}

test.each([
  ['no JSON', '{"city": "Par', /not fit|do not fit/],
  ['not of the schema', '{"city": 5}', /city/],
])('arguments that are %s pass as they are, marked, without another model call', async (_, text, why) => {
  const first = await ask([user(`write weather ${text}`)])
  expect(first.choice.finish_reason).toBe('tool_calls')
  expect(first.choice.message.tool_calls.map((call: { function: object }) => call.function)).toEqual([
    { name: 'weather', arguments: text },
  ])
  expect(first.body.warnings).toMatchObject([
    { code: 'invalid_arguments', message: expect.stringMatching(why) },
  ])
  expect(gateway.model.requests).toHaveLength(1)
  const { message } = first.choice
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'bad arguments' }
  const second = await ask([user(`write weather ${text}`), message, result])
  expect(second.choice.message.content).toBe('got bad arguments')
})

test('a result for invalid arguments continues in the waiting session', async () => {
  const first = await ask([user('write weather {"city": 5}')])
  const { message } = first.choice
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'a text, please' }
  const second = await ask([user('write weather {"city": 5}'), message, result])
  expect(second.session).toBe(first.session)
  expect(gateway.model.requests.at(-1)?.messages.at(-2)).toMatchObject({
    content: [{ type: 'tool_use', input_text: '{"city": 5}' }],
  })
})

test('a call that the output limit cuts off ends the answer with length, and nothing is asked again', async () => {
  const { choice, body } = await ask([user('cut weather {"city": "Par')], { max_tokens: 5 })
  expect(choice.finish_reason).toBe('length')
  expect(choice.message.tool_calls[0].function.arguments).toBe('{"city": "Par')
  expect(body.warnings).toMatchObject([{ code: 'call_cut_off' }])
  expect(gateway.model.requests).toHaveLength(1)
})

test('the Messages API gets arguments that are no JSON under a name that says so', async () => {
  const response = await gateway.post('/v1/messages', {
    model: 'demo',
    max_tokens: 100,
    tools: [{ name: 'weather', input_schema: { type: 'object' } }],
    messages: [user('write weather {"city": "Par')],
  })
  expect(await response.json()).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', name: 'weather', input: { _raw: '{"city": "Par' } }],
    warnings: [{ code: 'invalid_arguments' }],
  })
})
