/** Messages that meet a run: what the sender learns, and what it can still do about them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readFrames, readUntil, types } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
let session: string
beforeEach(async () => {
  running = await startServer()
  session = await running.newSession()
})
afterEach(async () => {
  running.model.open()
  await running.close()
})

const post = (rest: string, body: object = {}, headers: Record<string, string> = {}) =>
  running.json('POST', `/api/sessions/${session}${rest}`, body, headers)
const send = (message: string, more: object = {}, headers: Record<string, string> = {}) =>
  post('/messages', { message, ...more }, headers)
const queue = async () => (await running.json('GET', `/api/sessions/${session}/queue`)).body
const waiting = async () =>
  (await queue()).messages.map((one: { content: [{ text: string }] }) => one.content[0].text)
const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]
const change = (id: string, body: object) =>
  running.json('PATCH', `/api/sessions/${session}/queue/${id}`, body)
const withdraw = (id: string) =>
  fetch(`${running.url}/api/sessions/${session}/queue/${id}`, { method: 'DELETE' })

/** A run whose model has begun to speak and waits. */
async function startGate(): Promise<string> {
  const response = await running.chat({ session_id: session, message: 'gate' })
  await readUntil(response, seen => types(seen).includes('text_delta'))
  return response.headers.get('x-run-id') ?? ''
}

interface HistoryLine {
  readonly role: string
  readonly content: readonly { readonly text?: string }[]
}
async function history(): Promise<readonly string[]> {
  await running.settled()
  const { messages } = (await running.json('GET', `/api/sessions/${session}/messages`)).body
  return messages.map((one: HistoryLine) => `${one.role}: ${one.content.map(part => part.text).join('')}`)
}

it('a message for an idle session starts at once', async () => {
  const sent = await send('echo hi')
  expect(sent).toMatchObject({ status: 202, body: { session_id: session, delivery: 'started', position: 0 } })
  expect(await history()).toEqual(['user: echo hi', 'assistant: echo hi'])
  expect(await queue()).toEqual({ session_id: session, queue_held: false, messages: [] })
})

it('a message that steers is delivered in the same run, and its stream shows the rest of that run', async () => {
  const run_id = await startGate()
  const steering = await running.chat({
    session_id: session,
    message: 'mind the tests',
    when_running: 'steer',
  })
  expect(steering.headers.get('x-delivery')).toBe('steering')
  const message_id = steering.headers.get('x-message-id')
  running.model.open()
  const frames = await readFrames(steering)
  expect(types(frames).at(0)).toBe('message_delivered')
  expect(frames[0]?.data).toMatchObject({ message_id, run_id, turn: 1 })
  expect(types(frames).at(-1)).toBe('done')
  expect(await history()).toEqual([
    'user: gate',
    'assistant: before after',
    'user: mind the tests',
    'assistant: mind the tests',
  ])
  const { body } = await running.json('GET', `/api/sessions/${session}`)
  expect(body.conversation_count).toBe(1)
})

it('a message that interrupts ends the run and comes before those that wait', async () => {
  await startGate()
  await send('later')
  expect((await send('now', { when_running: 'interrupt' })).body).toMatchObject({
    delivery: 'interrupting',
    position: 1,
  })
  expect((await history()).filter(line => line.startsWith('user'))).toEqual([
    'user: gate',
    'user: now',
    'user: later',
  ])
})

it('a message that must not wait, or expects another run, is refused and leaves nothing', async () => {
  const run_id = await startGate()
  expect(code(await send('no', { when_running: 'reject' }))).toEqual([409, 'session_running'])
  const other = await send('no', { expected_run_id: 'other' })
  expect(code(other)).toEqual([409, 'run_changed'])
  expect(other.body.error.details).toEqual({ run_id })
  expect((await send('yes', { expected_run_id: run_id })).body).toMatchObject({
    delivery: 'queued',
    position: 1,
  })
  expect(await waiting()).toEqual(['yes'])
})

it('a repeated request gets the message that it sent, also when it would be refused now', async () => {
  const key = { 'idempotency-key': 'k' }
  const first = await send('gate', { when_running: 'reject' }, key)
  const again = await send('gate', { when_running: 'reject' }, key)
  expect(again.status).toBe(202)
  expect([again.body.message_id, again.body.run_id]).toEqual([first.body.message_id, first.body.run_id])
})

it('unknown fields and empty messages are refused with the field', async () => {
  const unknown = await send('hi', { when_runing: 'steer' })
  expect(code(unknown)).toEqual([400, 'bad_request'])
  expect(unknown.body.error.message).toContain('when_runing')
  await startGate()
  const { message_id } = (await send('later')).body
  for (const body of [{}, { message: '' }, { message: [] }, { when_running: 'interrupt' }, { position: -1 }])
    expect(code(await change(message_id, body)), JSON.stringify(body)).toEqual([400, 'bad_request'])
})

describe('a message that waits', () => {
  it('is changed, moved and promoted; its model gets the latest content', async () => {
    await startGate()
    await send('first')
    const { message_id } = (await send('second')).body
    expect((await change(message_id, { message: 'second, edited', position: 0 })).body.message).toMatchObject(
      {
        position: 1,
        revision: 1,
      },
    )
    expect(await waiting()).toEqual(['second, edited', 'first'])
    expect(code(await change(message_id, { message: 'x', if_revision: 0 }))).toEqual([409, 'conflict'])
    await change(message_id, { when_running: 'steer', if_revision: 1 })
    running.model.open()
    expect((await history()).filter(line => line.startsWith('user'))).toEqual([
      'user: gate',
      'user: second, edited',
      'user: first',
    ])
    expect(code(await change(message_id, { message: 'late' }))).toEqual([409, 'already_delivered'])
  })

  it('is withdrawn once and for all; after its delivery it is not', async () => {
    await startGate()
    const first = (await send('gone')).body.message_id
    const second = (await send('kept')).body.message_id
    expect([(await withdraw(first)).status, (await withdraw(first)).status]).toEqual([204, 204])
    running.model.open()
    expect((await history()).filter(line => line.startsWith('user'))).toEqual(['user: gate', 'user: kept'])
    expect((await withdraw(second)).status).toBe(409)
    expect((await withdraw('msg_unknown')).status).toBe(404)
  })

  it('ends the stream of its sender when it is withdrawn', async () => {
    await startGate()
    const response = await running.chat({ session_id: session, message: 'gone' })
    await withdraw(response.headers.get('x-message-id') ?? '')
    expect(types(await readFrames(response))).toEqual(['message_withdrawn'])
  })

  it('is held by a cancel until the queue is resumed', async () => {
    await startGate()
    const { message_id } = (await send('later')).body
    const cancelled = (await post('/cancel')).body
    expect(cancelled).toMatchObject({ cancelled: true, still_queued: [message_id], dropped: [] })
    await running.settled()
    expect(await queue()).toMatchObject({ queue_held: true, messages: [{ message_id, waiting: 'held' }] })
    expect((await running.json('GET', `/api/sessions/${session}`)).body.status).toBe('idle')
    expect((await post('/queue/resume')).body.resumed).toEqual([message_id])
    expect((await history()).at(-1)).toBe('assistant: later')
  })

  it('is dropped by a cancel that says so', async () => {
    await startGate()
    const { message_id } = (await send('later')).body
    expect((await post('/cancel', { queued: 'drop' })).body).toMatchObject({ dropped: [message_id] })
    expect((await history()).filter(line => line.startsWith('user'))).toEqual(['user: gate'])
    expect((await send('echo hi')).body.delivery).toBe('started')
    expect((await history()).at(-1)).toBe('assistant: echo hi')
  })
})

it('a hundred messages wait, and no more', async () => {
  await startGate()
  for (let i = 0; i < 100; i += 1) await send(`n${i}`)
  expect(code(await send('one more'))).toEqual([429, 'queue_full'])
  expect((await queue()).messages).toHaveLength(100)
})

it('messages that wait have at most four million characters', async () => {
  await startGate()
  const text = 'x'.repeat(900_000)
  for (let i = 0; i < 4; i += 1) expect((await send(text)).status).toBe(202)
  expect(code(await send(text))).toEqual([429, 'queue_full'])
})
