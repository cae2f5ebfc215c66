/** Agents that call more tools for one message than a run of the server may take turns. */
import type { Model } from '@toolwire/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

/** More than the turns of one response. */
const STEPS = 130
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

/** Calls `look` until its results are STEPS many. */
const looker: Model = {
  provider: 'openai',
  id: 'demo',
  async *stream({ messages }) {
    const results = messages.filter(message => message.role === 'tool').length
    yield { type: 'start', provider_message_id: `p_${results}`, model: 'demo' }
    const isDone = results >= STEPS
    const tool = { id: `call_${results}`, name: 'look' }
    yield isDone
      ? { type: 'block-start', index: 0, kind: 'text' }
      : { type: 'block-start', index: 0, kind: 'tool_use', tool }
    yield isDone
      ? { type: 'block-delta', index: 0, text: 'done' }
      : { type: 'block-delta', index: 0, input_text: '{}' }
    yield { type: 'block-end', index: 0 }
    const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    const stop_reason = isDone ? 'stop' : 'tool_calls'
    yield { type: 'end', stop_reason, finish: stop_reason, usage }
  },
}

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway({ models: () => looker })
})
afterEach(async () => {
  await gateway.close()
})

type Message = Record<string, unknown>

async function ask(
  messages: readonly Message[],
): Promise<Message & { readonly tool_calls?: readonly Message[] }> {
  const response = await gateway.post('/v1/chat/completions', { model: 'demo', messages, tools })
  // biome-ignore lint/suspicious/noExplicitAny: a body of any shape is read field by field
  const body = (await response.json()) as any
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body.choices[0].message
}

const resultOf = (id: unknown): Message => ({ role: 'tool', tool_call_id: id, content: 'ok' })

test('a client that drives the loop itself takes as many steps as it wants', async () => {
  const messages: Message[] = [{ role: 'user', content: 'look around' }]
  for (let step = 0; step <= STEPS; step += 1) {
    const message = await ask(messages)
    messages.push(message)
    for (const call of message.tool_calls ?? []) messages.push(resultOf(call['id']))
  }
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'done' })
})

test('a history with as many steps that the server has never seen is continued', async () => {
  const history = Array.from({ length: STEPS }, (_, i) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `old_${i}`, type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    resultOf(`old_${i}`),
  ]).flat()
  expect(await ask([{ role: 'user', content: 'look around' }, ...history])).toMatchObject({ content: 'done' })
})
