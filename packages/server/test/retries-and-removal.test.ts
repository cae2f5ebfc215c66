/** Repeated requests, and sessions that are deleted while a caller waits for them. */
import { afterEach, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})
async function open(): Promise<Running> {
  running = await startServer()
  return running
}

const KEY = { 'idempotency-key': 'k-1' }

test('a message sent again under its key is the same message; with other words or options it is a conflict', async () => {
  const { newSession, chat } = await open()
  const id = await newSession()
  const first = { session_id: id, message: 'echo hi', max_turns: 3 }
  await (await chat(first, KEY)).text()
  expect((await chat(first, KEY)).status).toBe(200)
  expect((await chat({ ...first, message: 'echo ho' }, KEY)).status).toBe(409)
  expect((await chat({ ...first, max_turns: 4 }, KEY)).status).toBe(409)
  expect((await chat({ session_id: id, message: 'echo hi' }, KEY)).status).toBe(409)
})

test('a session asked for again under its key is the same session; with other options it is a conflict', async () => {
  const { json } = await open()
  const body = { title: 'one', permission_mode: 'plan' }
  const first = await json('POST', '/api/sessions', body, KEY)
  const again = await json('POST', '/api/sessions', body, KEY)
  expect(again).toMatchObject({ status: 201, body: { id: first.body.id } })
  const other = await json('POST', '/api/sessions', { ...body, permission_mode: 'default' }, KEY)
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
})

test('a thread asked for again under its key is the same thread; with other words or options it is a conflict', async () => {
  const { json } = await open()
  const first = { input: 'echo hi', instructions: 'Be brief.', user: 'u', temperature: 0.5 }
  const made = await json('POST', '/v4/response', first, KEY)
  expect(made.status).toBe(200)
  const again = await json('POST', '/v4/response', first, KEY)
  expect(again.body.thread_id).toBe(made.body.thread_id)
  for (const other of [
    { ...first, input: 'echo ho' },
    { ...first, instructions: 'Be long.' },
    { ...first, user: 'v' },
    { ...first, temperature: 0.7 },
    { ...first, tools: [{ name: 'f', parameters: {} }] },
  ])
    expect(await json('POST', '/v4/response', other, KEY), JSON.stringify(other)).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT' } },
    })
})

test('an id that is far too long is refused without being repeated', async () => {
  const { json } = await open()
  const long = 'x'.repeat(4000)
  const message = { role: 'user', content: 'hi' }
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const chat = { messages: [message], tools }
  const answers = await Promise.all([
    json('GET', `/api/sessions/${long}`),
    json('GET', `/v4/threads/${long}`),
    json('GET', `/v4/response/${long}`),
    json('POST', '/v4/response', { thread_id: long, input: 'hi' }),
    json('POST', '/v4/response', { thread_id: 1, tool_outputs: [{ call_id: long, output: '1' }] }),
    json('POST', '/api/chat/stream', { session_id: long, message: 'hi' }),
    json('POST', '/v1/chat/completions', chat, { 'x-session-id': long }),
    json('POST', '/v1/chat/completions', chat, { 'x-server-tools': long }),
    json('POST', '/v1/chat/completions', chat, { 'idempotency-key': long }),
    json('POST', '/v1/chat/completions', { ...chat, model: long }),
    json('POST', '/v1/chat/completions', {
      ...chat,
      tool_choice: { type: 'function', function: { name: long } },
    }),
    json('POST', '/v1/messages', { messages: [message], tool_choice: { type: 'tool', name: long } }),
    json('POST', '/v1/messages', {
      messages: [message],
      thread: { type: 'continue', previous_message_id: long },
    }),
  ])
  for (const [place, { status, body }] of answers.entries()) {
    expect(status, `${place}`).toBeGreaterThanOrEqual(400)
    expect(status, `${place}`).toBeLessThan(500)
    expect(JSON.stringify(body).length, `${place}: ${JSON.stringify(body)}`).toBeLessThan(600)
  }
})

test('a caller that waits for a response of a deleted session gets an error', async () => {
  const { url, json, store } = await open()
  const waiting = fetch(`${url}/v4/response`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'gate', stream: false }),
  })
  let id: string | undefined
  while (id === undefined) {
    id = (await store.list({ state: 'running', limit: 1 })).items[0]?.id
    await new Promise(resolve => setImmediate(resolve))
  }
  // The request must be waiting, not still on its way to it: its first delta is in the log then.
  while (!(await store.read(id, 0, 100)).some(rec => rec.ev.type === 'block.delta'))
    await new Promise(resolve => setImmediate(resolve))
  expect((await json('DELETE', `/api/sessions/${id}`)).status).toBe(204)
  const response = await waiting
  expect(response.status).toBe(410)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/deleted/) } })
})
