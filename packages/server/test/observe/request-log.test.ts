/** The line of a request names the session that it was about and its place there, on every wire; the lines of a run name the request. */
import { type ContextManager, context, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api'
import type { SessionEvent } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { actFor, LOCAL_OPERATOR, noteReached, type RequestTrace } from '../../src/access/principal.ts'
import { observeToLogger } from '../../src/observe/log-lines.ts'
import { type KeyServer, startKeyServer } from '../access/key-server.ts'

interface Line {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}
let server: KeyServer
let key: string
let runs: Line[]
beforeEach(async () => {
  runs = []
  const log = (fields: Readonly<Record<string, unknown>>, message: string): void =>
    void runs.push({ message, fields })
  server = await startKeyServer({}, { observers: [observeToLogger({ info: log, error: log })] })
  key = await server.newKey({ scopes: ['admin'] })
})
afterEach(() => server.close())

/** The line of the request with this id; it is written when the connection is done with. */
async function lineOf(request_id: string): Promise<Record<string, unknown>> {
  const find = () =>
    server.logged
      .filter(line => line.startsWith('request '))
      .map(line => JSON.parse(line.slice(8)) as Record<string, unknown>)
      .find(line => line['request_id'] === request_id)
  await expect.poll(find, { timeout: 60_000 }).toBeDefined()
  return find() ?? {}
}

let asked = 0
async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const request_id = `req-${++asked}`
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-request-id': request_id,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  await server.settled()
  return { request_id, text, headers: answer.headers, line: await lineOf(request_id) }
}
const newSession = async (): Promise<string> => (await server.as(key, 'POST', '/api/sessions', {})).body.id
const threadNo = (session: string): number => Number.parseInt(session.replaceAll('-', '').slice(0, 12), 16)
/** The seq of the latest user message. */
const messageAt = async (session: string): Promise<number | undefined> =>
  (await server.store.read(session, 0, 1000)).findLast(({ ev }) => ev.type === 'input.message')?.seq

describe('a request that says something', () => {
  const messages = [{ role: 'user', content: 'echo' }]
  const WAYS: Readonly<Record<string, (session: string) => readonly [string, string, object?]>> = {
    chat: session => ['POST', '/api/chat/stream', { session_id: session, message: 'echo' }],
    'v4 by id': session => ['POST', '/v4/response', { thread_id: session, input: 'echo', stream: false }],
    'v4 by number': session => ['POST', '/v4/response', { thread_id: threadNo(session), input: 'echo' }],
    'v4 with GET': session => ['GET', `/v4/response?thread_id=${threadNo(session)}&input=echo`],
    'v1 chat': () => ['POST', '/v1/chat/completions', { model: 'demo', messages }],
    'v1 messages': () => ['POST', '/v1/messages', { model: 'demo', max_tokens: 9, messages }],
  }
  for (const [name, way] of Object.entries(WAYS))
    it(`by ${name} is found in the session's log, and its run by the request`, async () => {
      const fresh = await newSession()
      const { line, headers, request_id } = await ask(...way(fresh))
      const session = headers.get('x-session-id') ?? fresh
      const seq = await messageAt(session)
      expect(seq).toBeGreaterThan(0)
      expect(line).toMatchObject({ session, seq, key: key.split('_')[1] })
      const mine = runs.filter(({ fields }) => fields['session'] === session)
      expect(mine.map(({ message, fields }) => [message, fields['request_id']])).toEqual([
        ['run.started', request_id],
        ['run.completed', request_id],
      ])
    })

  it('by a token names the session, and not the token', async () => {
    const session = await newSession()
    const prepared = await ask('POST', '/v4/prepare', { thread_id: session, input: 'echo' })
    expect(prepared.line).toMatchObject({ session, seq: 2 })
    const { run_token } = JSON.parse(prepared.text)
    const { line, request_id } = await ask('GET', `/v4/response/${run_token}`)
    expect(line).toMatchObject({ session, path: '/v4/response/run_…' })
    expect(runs.map(({ fields }) => fields['request_id'])).toEqual([request_id, request_id])
  })

  it('that answers a pause is the request of the resumed run', async () => {
    const session = await newSession()
    const first = await ask('POST', '/api/chat/stream', { session_id: session, message: 'ask' })
    const [item] = (await server.as(key, 'GET', '/api/pending')).body.pending
    const second = await ask('POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    expect(second.line).toMatchObject({ session, seq: expect.any(Number) })
    expect(runs.map(({ message, fields }) => [message, fields['request_id']])).toEqual([
      ['run.started', first.request_id],
      ['run.paused', first.request_id],
      ['run.started', second.request_id],
      ['run.completed', second.request_id],
    ])
  })
})

it('a run that continues in work started by another request is not that request’s', () => {
  const lines: Line[] = []
  const log = (fields: Readonly<Record<string, unknown>>, message: string): void =>
    void lines.push({ message, fields })
  const observe = observeToLogger({ info: log, error: log })
  const event = (type: string): SessionEvent => ({ type, ts: '', run_id: 'r' }) as unknown as SessionEvent
  const as = { epoch: 1, w: 1 }
  const within = (request_id: string, work: () => void): void => actFor(LOCAL_OPERATOR, work, { request_id })
  within('first', () => observe({ session: 's', events: [event('input.message')] }, { head: 1 }, 1))
  within('second', () => observe({ session: 's', events: [event('run.started')], as }, { head: 2 }, 1))
  within('second', () => observe({ session: 't', events: [event('run.started')], as }, { head: 2 }, 1))
  expect(lines.map(({ fields }) => fields['request_id'])).toEqual(['first', undefined])
})

it('a request’s write takes precedence over its reads before or after', () => {
  const trail: RequestTrace = { request_id: 'r' }
  const note = (session: string, seq?: number): void =>
    actFor(LOCAL_OPERATOR, () => noteReached(session, seq), trail)
  note('read')
  note('written', 7)
  note('read')
  expect(trail).toEqual({ request_id: 'r', session: 'written', seq: 7 })
  expect(() => noteReached('outside of requests')).not.toThrow()
})

it('within a span names its trace, and so does its run', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const active = trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: 'b7ad6b7169203331',
    traceFlags: TraceFlags.SAMPLED,
  })
  const manager: ContextManager = {
    active: () => active,
    with: (_, work, self, ...args) => work.call(self as ThisParameterType<typeof work>, ...args),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  const session = await newSession()
  context.setGlobalContextManager(manager)
  try {
    const { line } = await ask('POST', '/api/chat/stream', { session_id: session, message: 'echo' })
    expect(line['trace_id']).toBe(traceId)
    expect(runs.map(({ fields }) => fields['trace_id'])).toEqual([traceId, traceId])
  } finally {
    context.disable()
  }
  expect((await ask('GET', '/api/sessions')).line['trace_id']).toBeUndefined()
})

describe('a request that looks', () => {
  for (const [name, path] of Object.entries({
    session: (session: string) => `/api/sessions/${session}`,
    'chat stream': (session: string) => `/api/chat/stream?session_id=${session}`,
    permissions: (session: string) => `/api/permissions?session_id=${session}`,
    'thread by number': (session: string) => `/v4/threads/${threadNo(session)}`,
    'events of a thread': (session: string) => `/v4/threads/${session}/events`,
  }))
    it(`at ${name} names the session, and no place in it`, async () => {
      const session = await newSession()
      const { line } = await ask('GET', path(session))
      expect(line['session']).toBe(session)
      expect(line['seq']).toBeUndefined()
    })

  it('at many names none, and what is no id is not printed', async () => {
    await newSession()
    expect((await ask('GET', '/api/sessions')).line['session']).toBeUndefined()
    const { line } = await ask('GET', `/api/chat/stream?session_id=${encodeURIComponent('a b\nsecret')}`)
    expect(JSON.stringify(line)).not.toContain('secret')
  })

  it('and copies names the session that it copied, without a place in the copy', async () => {
    const session = await newSession()
    const { line } = await ask('POST', `/api/sessions/${session}/fork`, {})
    expect(line['session']).toBe(session)
    expect(line['seq']).toBeUndefined()
  })
})
