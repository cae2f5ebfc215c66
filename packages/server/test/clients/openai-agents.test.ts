/** `@openai/agents` on its Chat Completions model, unmodified, through whole tool round trips. */
import { Agent, OpenAIChatCompletionsModel, Runner, tool } from '@openai/agents'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../gateway/gateway-server.ts'
import { CITY, createWeather, FOUND, PARALLEL } from './weather.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const runner = new Runner({ tracingDisabled: true })

function createAgent(run: (input: { city: string }) => string) {
  return new Agent({
    name: 'Weather',
    instructions: 'Be brief.',
    model: new OpenAIChatCompletionsModel(gateway.openai, 'demo'),
    tools: [
      tool({
        name: 'weather',
        description: 'The weather of a city',
        parameters: CITY,
        execute: async input => run(input),
      }),
    ],
  })
}

test('a run calls its tools in parallel and ends with what they found', async () => {
  const weather = createWeather()
  const result = await runner.run(createAgent(weather.run), PARALLEL)
  expect(result.finalOutput).toBe(FOUND)
  expect([...weather.asked].sort()).toEqual(['Oslo', 'Paris'])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  expect(gateway.model.requests[1]?.messages.map(message => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
  ])
})

test('a streamed run shows words as they come, calls its tools and ends the same', async () => {
  const weather = createWeather()
  const result = await runner.run(createAgent(weather.run), PARALLEL, { stream: true })
  const called: string[] = []
  for await (const event of result) {
    if (event.type !== 'run_item_stream_event' || event.name !== 'tool_called') continue
    if (event.item.rawItem?.type === 'function_call') called.push(event.item.rawItem.arguments)
  }
  await result.completed
  expect(result.finalOutput).toBe(FOUND)
  expect(called).toEqual(['{"city":"Paris"}', '{"city":"Oslo"}'])
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})

test('a further turn continues in the same session', async () => {
  const weather = createWeather()
  const agent = createAgent(weather.run)
  const first = await runner.run(agent, 'call weather@Rome')
  const second = await runner.run(agent, [...first.history, { role: 'user', content: 'say bye' }])
  expect(second.finalOutput).toBe('bye')
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})

test('a refused request is its error, with the status of the upstream', async () => {
  await expect(
    runner.run(createAgent(createWeather().run), 'fail model_rate_limited 429'),
  ).rejects.toMatchObject({
    status: 429,
  })
})
