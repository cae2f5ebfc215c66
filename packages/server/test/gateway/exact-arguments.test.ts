/** Arguments on their way through the gateway: what the model or the client wrote arrives character by character. */
import type { HistoryMessage } from '@toolwire/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

/** Keys that look like numbers, out of order, and numbers that a double cannot hold. */
const WRITTEN = '{"b":1.0,"2":{"10":[12345678901234567890],"9":-0},"1":"\\"1\\":2"}'

let gateway: Gateway

beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const asked = { role: 'user', content: `write a ${WRITTEN}` }
const tool = { name: 'a', input_schema: { type: 'object' } }

/** The body of a Messages request whose arguments are exactly this text. */
const followUp = (id: string, input: string): string =>
  JSON.stringify({
    model: 'demo',
    max_tokens: 99,
    tools: [tool],
    messages: [
      asked,
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'a', input: 'HERE' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'R' }] },
    ],
  }).replace('"HERE"', () => input)

async function send(text: string) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', headers, body: text })
  expect(response.status).toBe(200)
  return await response.json()
}

const inputs = (messages: readonly HistoryMessage[] = []): readonly string[] =>
  messages.flatMap(message =>
    message.role === 'assistant'
      ? message.content.flatMap(part => (part.type === 'tool_use' ? [part.input_text] : []))
      : [],
  )

test('a whole message holds them as the model wrote them, and so do the pieces of a stream', async () => {
  const body = { model: 'demo', max_tokens: 99, tools: [tool], messages: [asked] }
  const whole = await gateway.post('/v1/messages', body)
  expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await whole.text()).toContain(`"input":${WRITTEN}`)
  const stream = await gateway.post('/v1/messages', { ...body, stream: true })
  const pieces = (await readData(stream)).map(event => event.delta?.partial_json ?? '')
  expect(pieces.join('')).toBe(WRITTEN)
})

test('a completion holds them as the model wrote them, whole and streamed', async () => {
  const body = { model: 'demo', tools: [chatTool('a')], messages: [asked] }
  const whole = await (await gateway.post('/v1/chat/completions', body)).json()
  expect(whole.choices[0].message.tool_calls[0].function.arguments).toBe(WRITTEN)
  const stream = await gateway.post('/v1/chat/completions', { ...body, stream: true })
  const deltas = (await readData(stream)).flatMap(chunk => chunk.choices?.[0]?.delta.tool_calls ?? [])
  expect(deltas.map(delta => delta.function.arguments ?? '').join('')).toBe(WRITTEN)
})

test('a client that keeps their order and one that cannot continue in the same session', async () => {
  for (const spelled of [WRITTEN, JSON.stringify(JSON.parse(WRITTEN))]) {
    const first = await send(
      JSON.stringify({ model: 'demo', max_tokens: 99, tools: [tool], messages: [asked] }),
    )
    const before = (await gateway.get('/api/sessions')).sessions.length
    const answer = await send(followUp(first.content[0].id, spelled))
    expect(answer.content[0].text).toBe('got R')
    expect((await gateway.get('/api/sessions')).sessions).toHaveLength(before)
    expect(inputs(gateway.model.requests.at(-1)?.messages)).toEqual([WRITTEN])
  }
})

test('an unknown history reaches the model as its client wrote it, on both wires', async () => {
  await send(followUp('toolu_foreign', WRITTEN))
  expect(inputs(gateway.model.requests.at(-1)?.messages)).toEqual([WRITTEN])
  const call = { id: 'call_foreign', type: 'function', function: { name: 'a', arguments: ` ${WRITTEN}` } }
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_foreign', content: 'R' },
  ]
  await gateway.post('/v1/chat/completions', { model: 'demo', tools: [chatTool('a')], messages })
  expect(inputs(gateway.model.requests.at(-1)?.messages)).toEqual([` ${WRITTEN}`])
})
