/** The agents SDK over the Responses API: continuing by ids, conversations, and its hosted web search. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Agent,
  OpenAIConversationsSession,
  OpenAIResponsesModel,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
  webSearchTool,
} from '@openai/agents'
import { createMemoryStore } from '@toolwire/store'
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

test('parallel calls are run and answered in one session, streamed and whole', async () => {
  const agent = newAgent()
  const whole = await runner.run(agent, 'call weather@Paris, weather@Oslo')
  expect(whole.finalOutput).toBe('got sunny in Paris | sunny in Oslo')
  expect(await sessions()).toHaveLength(1)
  const streamed = await runner.run(agent, 'think and call weather@Rome, weather@Bern', { stream: true })
  await streamed.completed
  expect(streamed.finalOutput).toBe('got sunny in Rome | sunny in Bern')
})

test('an error before and after output, and an answer cut by its limit, end the run with an error', async () => {
  const agent = newAgent()
  await expect(runner.run(agent, 'refuse bad_request')).rejects.toMatchObject({ status: 400 })
  await expect(runner.run(agent, 'fail model_overloaded 529')).rejects.toMatchObject({ status: 503 })
  const late = await runner.run(agent, 'fail model_overloaded 529 late', { stream: true })
  gateway.model.open()
  await expect(late.completed).rejects.toThrow('No.')
  const cut = await runner.run(agent, 'say x and length', { stream: true })
  await expect(cut.completed).rejects.toThrow()
})

test('a refusal and a cancelled answer end the run with an error', async () => {
  const agent = newAgent()
  await expect(runner.run(agent, 'decline not this')).rejects.toThrow(/refus/i)
  const hanging = await runner.run(agent, 'hang', { stream: true })
  const read = async (): Promise<void> => {
    for await (const event of hanging) {
      if (event.type !== 'raw_model_stream_event' || event.data.type !== 'output_text_delta') continue
      const [{ id } = { id: '' }] = await sessions()
      await gateway.post(`/api/sessions/${id}/cancel`, {})
    }
    await hanging.completed
  }
  await expect(read()).rejects.toThrow()
})

test('a run that waits for an approval is resumed on a server that was restarted', async () => {
  const store = createMemoryStore()
  const first = await startGateway({ store })
  const careful = tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    needsApproval: true,
    execute: ({ city }) => `sunny in ${city}`,
  })
  const agentOn = ({ openai }: Gateway) =>
    new Agent({ name: 'a', model: new OpenAIResponsesModel(openai, 'demo'), tools: [careful] })
  const stopped = await runner.run(agentOn(first), 'call weather@Paris')
  expect(stopped.interruptions).toHaveLength(1)
  const saved = stopped.state.toString()
  await first.close()
  const second = await startGateway({ store })
  const agent = agentOn(second)
  const state = await RunState.fromString(agent, saved)
  for (const one of state.getInterruptions()) state.approve(one)
  const done = await runner.run(agent, state)
  expect(done.finalOutput).toBe('got sunny in Paris')
  expect((await second.get('/api/sessions')).sessions).toHaveLength(1)
  await second.close()
  await store.close()
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
