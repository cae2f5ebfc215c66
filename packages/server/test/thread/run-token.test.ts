import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@toolwire/core'
import { createMemoryStore, openSqliteStore } from '@toolwire/store'
import { EventSource } from 'eventsource'
import { afterEach, describe, expect, it } from 'vitest'
import { find, get, parseEvents, post, readUntil, textOf, typesOf } from './thread-client.ts'
import { CLIENT_TOOLS, startThreadServer, type ThreadServer } from './thread-server.ts'

const script = {
  hello: [{ text: 'Hello you.' }],
  slow: [{ text: 'one' }, { wait: true, text: 'two' }],
  wait: [{ wait: true, text: 'There it is.' }],
  client: [{ calls: [['set_temperature', { value: 0.8 }]] }],
  note: [{ calls: [['write_note', { text: 'hi' }]] }],
} as const

let server: ThreadServer
afterEach(() => server.close())

const prepare = async (body: object) => (await post(`${server.url}/v4/prepare`, body)).body
const tokenUrl = (token: string): string => `${server.url}/v4/response/${token}`

/** Follows with a real EventSource until it gives up for good, as browsers do after 204. */
function follow(
  url: string,
  onPause: () => void = () => {},
): Promise<readonly { readonly type: string; readonly id: string }[]> {
  const seen: { type: string; id: string }[] = []
  const source = new EventSource(url)
  const types = [
    'conversation.started',
    'text.chunk',
    'tool.execute',
    'conversation.paused',
    'conversation.resumed',
    'conversation.canceled',
    'conversation.completed',
  ]
  for (const type of types) source.addEventListener(type, event => seen.push({ type, id: event.lastEventId }))
  source.addEventListener('conversation.paused', onPause)
  return new Promise(resolve => {
    source.addEventListener('error', () => {
      if (source.readyState === source.CLOSED) resolve(seen)
    })
  })
}

/** A store in which so many starts of runs wait for each other before any of them is stored. */
function meetingStore(count: number): Store {
  const store = createMemoryStore()
  let left = count
  let meet: () => void = () => {}
  const met = new Promise<void>(resolve => {
    meet = resolve
  })
  const append = store.append.bind(store)
  const meeting: Store['append'] = async writes => {
    if (writes.some(({ key }) => key?.startsWith('run:'))) {
      if (--left === 0) meet()
      await met
    }
    return await append(writes)
  }
  return Object.assign(store, { append: meeting })
}

/** Answers everything that waits in the server's only thread, and does not read what comes of it. */
async function answerPause(): Promise<void> {
  const [row] = (await server.store.list({ limit: 1 })).items
  const thread = (await get(`${server.url}/v4/threads/${row?.id}`)).body
  const answers = (pending: readonly { readonly call_id: string }[], answer: object) =>
    pending.map(({ call_id }) => ({ call_id, ...answer }))
  const { body } = await post(`${server.url}/v4/response`, {
    thread_id: thread.thread_id,
    tool_outputs: answers(thread.pending_tools, { output: '1' }),
    tool_approvals: answers(thread.pending_approvals, { approved: true }),
  })
  expect(body.status).toBe('success')
}

/** A token whose reader has seen its run pause. */
async function pausedToken() {
  const { run_token, thread_id } = await prepare({ input: 'client', tools: CLIENT_TOOLS })
  const { events } = await get(tokenUrl(run_token))
  expect(typesOf(events).at(-1)).toBe('conversation.paused')
  return { url: tokenUrl(run_token), last: events.at(-1)?.id ?? '', thread_id }
}

describe('a run token', () => {
  it('runs the prepared message when it is first read, not before', async () => {
    server = await startThreadServer({ script })
    const { run_token, thread_id, user_msg_id } = await prepare({ input: 'hello' })
    expect(server.requests).toHaveLength(0)
    expect((await get(`${server.url}/v4/threads/${thread_id}`)).body.status).toBe('idle')
    const { events } = await get(tokenUrl(run_token))
    expect(find(events, 'conversation.started').thread_id).toBe(thread_id)
    expect(find(events, 'conversation.data').user_msg_id).toBe(user_msg_id)
    expect(textOf(events)).toBe('Hello you.')
    expect(typesOf(events).at(-1)).toBe('conversation.completed')
    expect((await get(`${server.url}/v4/threads/${thread_id}`)).body.title).toBe('hello')
  })

  it('is used once: running says so, over is 204, a cursor reads on', async () => {
    server = await startThreadServer({ script })
    const { run_token } = await prepare({ input: 'wait' })
    const first = await readUntil(await fetch(tokenUrl(run_token)), 'iteration.started')
    const second = await get(tokenUrl(run_token))
    expect([second.status, second.body.error.code, second.body.error.retryable]).toEqual([
      409,
      'ALREADY_RUNNING',
      true,
    ])
    server.release()
    const cursor = first.at(-1)?.id ?? ''
    const { events } = await get(tokenUrl(run_token), { 'last-event-id': cursor })
    expect(typesOf(events).at(-1)).toBe('conversation.completed')
    const whole = await get(tokenUrl(run_token), { 'last-event-id': first[0]?.id ?? '' })
    expect([...first.slice(1), ...events].map(event => event.id)).toEqual(whole.events.map(event => event.id))
    const last = events.at(-1)?.id ?? ''
    expect((await get(tokenUrl(run_token), { 'last-event-id': last })).status).toBe(204)
    expect((await get(tokenUrl(run_token))).status).toBe(204)
    expect(server.requests).toHaveLength(1)
  })

  it('read by two at the same moment runs once, though both of them found it unused', async () => {
    server = await startThreadServer({ script, store: meetingStore(2) })
    const { run_token } = await prepare({ input: 'hello' })
    const replies = await Promise.all([get(tokenUrl(run_token)), get(tokenUrl(run_token))])
    expect(replies.filter(reply => reply.events.length > 0)).toHaveLength(1)
    expect(server.requests).toHaveLength(1)
  })

  it('cannot be guessed, and is not in the log', async () => {
    server = await startThreadServer({ script })
    const { run_token, thread_id } = await prepare({ input: 'hello' })
    const { session_id } = (await get(`${server.url}/v4/threads/${thread_id}`)).body
    const exported = JSON.stringify((await get(`${server.url}/api/sessions/${session_id}/export`)).body)
    expect(exported).not.toContain(run_token.split('.')[1])
    const forged = `${run_token.slice(0, -4)}AAAA`
    expect((await get(tokenUrl(forged))).status).toBe(404)
  })

  it('works after a restart, before and after it was read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolwire-thread-'))
    try {
      server = await startThreadServer({ script, store: await openSqliteStore({ dir: folder }) })
      const { run_token } = await prepare({ input: 'hello' })
      await server.close()
      server = await startThreadServer({ script, store: await openSqliteStore({ dir: folder }) })
      const { events } = await get(tokenUrl(run_token))
      expect(textOf(events)).toBe('Hello you.')
      await server.close()
      server = await startThreadServer({ script, store: await openSqliteStore({ dir: folder }) })
      const rest = await get(tokenUrl(run_token), { 'last-event-id': events[2]?.id ?? '' })
      expect(rest.events).toEqual(events.slice(3))
      expect(server.requests).toHaveLength(0)
    } finally {
      await server.close()
      await rm(folder, { recursive: true, force: true })
      server = await startThreadServer({ script })
    }
  })

  it('needs no API key, while preparing does', async () => {
    server = await startThreadServer({ script, config: { apiKeys: ['a-long-key'] } })
    const refused = await post(`${server.url}/v4/prepare`, { input: 'hello' })
    expect([refused.status, refused.body.error.code]).toEqual([401, 'UNAUTHORIZED'])
    const prepared = await post(`${server.url}/v4/prepare`, { input: 'hello' }, { 'x-api-key': 'a-long-key' })
    expect(textOf((await get(tokenUrl(prepared.body.run_token))).events)).toBe('Hello you.')
  })
})

describe('an EventSource that is never closed', () => {
  it.each([
    ['a token', async () => tokenUrl((await prepare({ input: 'client', tools: CLIENT_TOOLS })).run_token)],
    ['a message in the query', () => `${server.url}/v4/response?input=note`],
  ])('on %s sees the resumption after its page answered, and stops at the end', async (_, urlOf) => {
    server = await startThreadServer({ script })
    const seen = await follow(await urlOf(), () => void answerPause())
    const types = seen.map(event => event.type).filter((type, at, all) => type !== all[at - 1])
    expect(types.filter(type => type !== 'tool.execute')).toEqual([
      'conversation.started',
      'conversation.paused',
      'conversation.resumed',
      'text.chunk',
      'conversation.completed',
    ])
    expect(new Set(seen.map(event => event.id)).size).toBe(seen.length)
    expect(server.requests).toHaveLength(2)
  })

  it('waits while its run is paused, for outputs that come late', async () => {
    server = await startThreadServer({ script })
    const { url, last } = await pausedToken()
    const waiting = await fetch(url, { headers: { 'last-event-id': last } })
    expect(waiting.status).toBe(200)
    await answerPause()
    const types = typesOf(parseEvents(await waiting.text()))
    expect([types[0], types.at(-1)]).toEqual(['conversation.resumed', 'conversation.completed'])
  })

  it('reads a resumption that it missed, exactly once, from any cursor', async () => {
    server = await startThreadServer({ script })
    const { url, last } = await pausedToken()
    await answerPause()
    const { status, events } = await get(url, { 'last-event-id': last })
    expect(status).toBe(200)
    expect([typesOf(events)[0], typesOf(events).at(-1)]).toEqual([
      'conversation.resumed',
      'conversation.completed',
    ])
    for (const [at, { id }] of events.entries())
      expect((await get(url, { 'last-event-id': id })).events).toEqual(events.slice(at + 1))
    expect((await get(url, { 'last-event-id': events.at(-1)?.id ?? '' })).status).toBe(204)
  })

  it('learns that another message took the place of what its run waited for', async () => {
    server = await startThreadServer({ script })
    const { url, last, thread_id } = await pausedToken()
    const waiting = await fetch(url, { headers: { 'last-event-id': last } })
    await post(`${server.url}/v4/response`, { thread_id, input: 'hello' })
    const events = parseEvents(await waiting.text())
    expect(typesOf(events).at(-1)).toBe('conversation.canceled')
    expect(textOf(events)).toBe('')
    expect((await get(url, { 'last-event-id': events.at(-1)?.id ?? '' })).status).toBe(204)
  })

  it('on a message in the query reads its own run on, and sends nothing again', async () => {
    server = await startThreadServer({ script })
    const seen = await follow(`${server.url}/v4/response?name=gpt-4o-mini&input=hello&stream=true`)
    // How many chunks the text comes in is a matter of timing.
    const types = seen.map(event => event.type).filter((type, at, all) => type !== all[at - 1])
    expect(types).toEqual(['conversation.started', 'text.chunk', 'conversation.completed'])
    expect(new Set(seen.map(event => event.id)).size).toBe(seen.length)
    expect(server.requests).toHaveLength(1)
  })
})

describe('a GET that starts a run', () => {
  it('is refused when a page of another site made the browser send it', async () => {
    server = await startThreadServer({ script })
    const url = `${server.url}/v4/response?input=hello`
    const { status, body } = await get(url, { 'sec-fetch-site': 'cross-site' })
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
    expect((await get(url, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect(server.requests).toHaveLength(1)
  })
})
