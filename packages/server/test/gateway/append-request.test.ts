/** Two requests that found the same session at the same moment: only one may add to it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendTurn, draftClosing } from '../../src/gateway/append-request.ts'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

async function close(...[context, row]: Parameters<typeof draftClosing>): Promise<void> {
  const closing = await draftClosing(context, row)
  if (closing) await context.sessions.append({ writes: [closing], wakes: true })
}

test('of two turns under one key only the first is appended', async () => {
  const response = await gateway.post('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'say a' }],
  })
  await response.text()
  await gateway.settled()
  const context = await gateway.unscoped()
  const row = await context.index.row(response.headers.get('x-session-id') ?? '')
  if (!row) throw new Error('no session')
  const setup = {
    protocol: 'openai-chat',
    model: 'demo',
    client_tools: [],
    server_tools: [],
    options: {},
    limits: {},
    warnings: [],
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

test('a request that found a session before it continued does not close the call that waits since then', async () => {
  const tools = [chatTool('weather')]
  const ask = async (messages: readonly object[]) => {
    const response = await gateway.post('/v1/chat/completions', { model: 'demo', tools, messages })
    return { session: response.headers.get('x-session-id') ?? '', body: await response.json() }
  }
  const first = await ask([{ role: 'user', content: 'say a' }])
  const context = await gateway.unscoped()
  const before = await context.index.row(first.session)
  const second = await ask([
    { role: 'user', content: 'say a' },
    first.body.choices[0].message,
    { role: 'user', content: 'call weather@Paris' },
  ])
  expect(second.session).toBe(first.session)
  const after = await context.index.row(first.session)
  if (!before || !after) throw new Error('no session')
  await close(context, before)
  await gateway.settled()
  expect((await gateway.get('/api/pending')).pending).toHaveLength(1)
  await close(context, after)
  await close(context, after)
  await gateway.settled()
  expect((await gateway.get('/api/pending')).pending).toEqual([])
  expect(gateway.model.requests).toHaveLength(2)
})

test('a result that is recorded while a session is about to be closed wins', async () => {
  const tools = [chatTool('weather')]
  const asked = [{ role: 'user', content: 'call weather@Paris' }]
  const response = await gateway.post('/v1/chat/completions', { model: 'demo', tools, messages: asked })
  const session = response.headers.get('x-session-id') ?? ''
  const { message } = (await response.json()).choices[0]
  const facts = await gateway.context.sessions.facts(session)
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'sunny' }
  const messages = [...asked, message, result]
  const unscoped = await gateway.unscoped()
  const context = { ...unscoped, sessions: { ...unscoped.sessions, facts: async () => facts } }
  const row = await context.index.row(session)
  if (!row) throw new Error('no session')
  await (await gateway.post('/v1/chat/completions', { model: 'demo', tools, messages })).text()
  await close(context, row)
  await gateway.settled()
  const log = await gateway.store.read(session, 0, 1000)
  expect(log.filter(({ ev }) => ev.type === 'input.cancel')).toEqual([])
})
