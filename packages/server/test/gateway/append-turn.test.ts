/** Two requests that found the same session at the same moment: only one may add to it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendTurn } from '../../src/gateway/append-turn.ts'
import { createGatewayContext } from '../../src/gateway/gateway-context.ts'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

test('of two turns under one key only the first is appended', async () => {
  const response = await gateway.post('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'say a' }],
  })
  await response.text()
  await gateway.settled()
  const context = createGatewayContext({ ...gateway.context, store: gateway.store })
  const row = await context.index.row(response.headers.get('x-session-id') ?? '')
  if (!row) throw new Error('no session')
  const setup = {
    protocol: 'openai-chat',
    model: 'demo',
    client_tools: [],
    server_tools: [],
    options: {},
    limits: {},
  }
  const turn = (text: string) =>
    appendTurn(context, row, { content: [{ type: 'text', text }], setup, key: 'chain:x' })
  const [first, second] = await Promise.all([turn('say b'), turn('say c')])
  expect(first?.session).toBe(row.id)
  expect(second).toBeUndefined()
})

test('a session that was deleted while it answered ends the answer', async () => {
  const response = await gateway.post('/v1/messages', {
    max_tokens: 5,
    stream: true,
    messages: [{ role: 'user', content: 'hang' }],
  })
  const session = response.headers.get('x-session-id') ?? ''
  const reading = response.text()
  await fetch(`${gateway.url}/api/sessions/${session}`, { method: 'DELETE' })
  await expect(reading).rejects.toThrow()
  await gateway.left()
})
