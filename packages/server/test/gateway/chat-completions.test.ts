/** POST /v1/chat/completions through the real `openai` client. */
import type OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[]
const tools = [chatTool('weather'), chatTool('time')]

test('a whole response has the model’s text and counts cached tokens as prompt tokens', async () => {
  const answer = await gateway.openai.chat.completions.create({
    model: 'demo',
    messages: [{ role: 'user', content: 'say hello' }],
  })
  expect(answer.choices).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: 'hello', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ])
  expect(answer.model).toBe('demo')
  expect(answer.usage).toMatchObject({
    prompt_tokens: 15,
    completion_tokens: 5,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 1 },
  })
})

test('parallel calls come back whole, and their results continue the session that waits for them', async () => {
  const messages: Messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'call weather@Paris, time@Oslo' },
  ]
  const first = await gateway.openai.chat.completions
    .create({ model: 'demo', messages, tools })
    .withResponse()
  const session = first.response.headers.get('x-session-id') ?? ''
  const choice = first.data.choices[0]
  expect(choice?.finish_reason).toBe('tool_calls')
  expect(choice?.message.content).toBeNull()
  const calls = choice?.message.tool_calls ?? []
  expect(
    calls.map(call => call.type === 'function' && [call.function.name, call.function.arguments]),
  ).toEqual([
    ['weather', '{"city":"Paris"}'],
    ['time', '{"city":"Oslo"}'],
  ])
  const waiting = await gateway.get(`/api/sessions/${session}`)
  expect(waiting).toMatchObject({ status: 'paused', is_waiting_for_tool: true })
  expect(waiting.pending.map((item: { call_id: string }) => item.call_id)).toEqual(calls.map(call => call.id))

  if (!choice) throw new Error('no choice')
  messages.push(choice.message)
  for (const [i, call] of calls.entries())
    messages.push({ role: 'tool', tool_call_id: call.id, content: `result ${i}` })
  const second = await gateway.openai.chat.completions
    .create({ model: 'demo', messages, tools })
    .withResponse()
  expect(second.data.choices[0]?.message.content).toBe('got result 0 | result 1')
  expect(second.response.headers.get('x-session-id')).toBe(session)
  expect(second.response.headers.get('x-toolwire-warnings')).toBeNull()

  messages.push(
    { role: 'assistant', content: 'got result 0 | result 1' },
    { role: 'user', content: 'say bye' },
  )
  const third = await gateway.openai.chat.completions
    .create({ model: 'demo', messages, tools })
    .withResponse()
  expect(third.data.choices[0]?.message.content).toBe('bye')
  expect(third.response.headers.get('x-session-id')).toBe(session)
})

test('the stream helper and runTools of the client work unmodified', async () => {
  const runner = gateway.openai.chat.completions.runTools({
    model: 'demo',
    stream: true,
    messages: [{ role: 'user', content: 'say wait and call weather@Paris, weather@Oslo' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'weather',
          parse: JSON.parse,
          function: ({ city }: { city: string }) => `sunny in ${city}`,
          description: 'weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('got sunny in Paris | sunny in Oslo')
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})
