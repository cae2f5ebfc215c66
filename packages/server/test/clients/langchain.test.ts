/** LangChain's ChatAnthropic, unmodified, through whole tool round trips. */
import { ChatAnthropic } from '@langchain/anthropic'
import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../gateway/gateway-server.ts'
import { CITY, createWeather, FOUND, PARALLEL } from './weather.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const connect = (streaming: boolean) =>
  new ChatAnthropic({
    model: 'demo',
    apiKey: 'sk-test',
    anthropicApiUrl: gateway.url,
    maxRetries: 0,
    maxTokens: 1000,
    streaming,
  })

/** The loop that agents are made of: ask, run what was asked for, ask again. */
async function converse(streaming: boolean, text: string) {
  const weather = createWeather()
  const lookup = tool(async (input: { city: string }) => weather.run(input), {
    name: 'weather',
    description: 'The weather of a city',
    schema: CITY,
  })
  const model = connect(streaming).bindTools([lookup])
  const messages: BaseMessage[] = [new HumanMessage(text)]
  for (;;) {
    const answer: AIMessageChunk = await model.invoke(messages)
    messages.push(answer)
    if (!answer.tool_calls?.length) return { answer, messages, weather, model }
    for (const call of answer.tool_calls) messages.push(await lookup.invoke({ ...call, type: 'tool_call' }))
  }
}

test.each([false, true])('parallel calls are run and answered (streaming %j)', async streaming => {
  const { answer, weather } = await converse(streaming, PARALLEL)
  expect(answer.text).toBe(FOUND)
  expect(weather.asked).toEqual(['Paris', 'Oslo'])
  expect(answer.usage_metadata).toMatchObject({ output_tokens: 5 })
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  expect(gateway.model.requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    results: [{ output_text: 'sunny in Paris' }, { output_text: 'sunny in Oslo' }],
  })
})

test('signed thinking goes out and comes back, and a further turn stays in its session', async () => {
  const { messages, model } = await converse(true, 'think and call weather@Rome')
  const last = await model.invoke([...messages, new HumanMessage('say bye')])
  expect(last.text).toBe('bye')
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  expect(JSON.stringify(gateway.model.requests.at(-1)?.messages)).toContain('sig-1')
})

test('a stream gives its words in order', async () => {
  const words: string[] = []
  for await (const chunk of await connect(true).stream('say hello there')) words.push(chunk.text)
  expect(words.join('')).toBe('hello there')
})
