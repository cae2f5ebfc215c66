/** The agents SDK over the Responses API: continuing by ids, conversations, and its hosted web search. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Agent,
  OpenAIConversationsSession,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
  webSearchTool,
} from '@openai/agents'
import { createBuiltinTools } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
let close: () => Promise<void>
beforeEach(async () => {
  setTracingDisabled(true)
  const engine = createServer((_, response) => {
    response.end(
      JSON.stringify({ results: [{ title: 'One', url: 'https://one.example', content: 'tide table' }] }),
    )
  })
  await new Promise<void>(resolve => engine.listen(0, '127.0.0.1', resolve))
  const { port } = engine.address() as AddressInfo
  const all = createBuiltinTools({ web_search: { searxng: { url: `http://127.0.0.1:${port}` } } })
  gateway = await startGateway({ tools: all.filter(one => one.name === 'WebSearch') })
  close = async () => {
    await gateway.close()
    await new Promise(resolve => engine.close(resolve))
  }
})
afterEach(() => close())

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
})
const newAgent = (tools: ConstructorParameters<typeof Agent>[0]['tools'] = [weather]) =>
  new Agent({
    name: 'a',
    instructions: 'Be brief.',
    model: new OpenAIResponsesModel(gateway.openai, 'demo'),
    tools: [...(tools ?? [])],
  })
const runner = new Runner({ tracingDisabled: true })
const sessions = async () => (await gateway.get('/api/sessions')).sessions

test('a run is continued by the id of its last response', async () => {
  const agent = newAgent()
  const first = await runner.run(agent, 'call weather@Paris')
  expect(first.finalOutput).toBe('got sunny in Paris')
  const { lastResponseId } = first
  expect(lastResponseId).toMatch(/^resp_/)
  const options = lastResponseId === undefined ? {} : { previousResponseId: lastResponseId }
  const second = await runner.run(agent, 'call weather@Oslo', options)
  expect(second.finalOutput).toBe('got sunny in Oslo')
  const seen = JSON.stringify(gateway.model.requests.at(-1)?.messages)
  for (const words of ['sunny in Paris', 'sunny in Oslo']) expect(seen).toContain(words)
})

test('a conversation holds what its runs said', async () => {
  const session = new OpenAIConversationsSession({ client: gateway.openai })
  const agent = newAgent()
  await runner.run(agent, 'call weather@Paris', { session })
  const { finalOutput } = await runner.run(agent, 'say and now', { session })
  expect(finalOutput).toBe('and now')
  const seen = JSON.stringify(gateway.model.requests.at(-1)?.messages)
  expect(seen).toContain('sunny in Paris')
  expect(JSON.stringify(await session.getItems())).toContain('and now')
})

test('its web search is run by the server', async () => {
  const agent = newAgent([webSearchTool()])
  const { finalOutput, newItems } = await runner.run(agent, 'write WebSearch {"query":"tides"}')
  expect(finalOutput).toContain('tide table')
  const item = newItems.find(one => one.type === 'tool_call_item')
  expect(JSON.stringify(item)).toContain('web_search')
  expect(await sessions()).toHaveLength(1)
})
