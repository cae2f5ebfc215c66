/**
 * An approval is an event: asked on any wire, answered on any other with any verb, by another process than the one
 * that asked, and decided once. Real tools, permissions and database; only the model is scripted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventOf, SessionEvent } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, post, type Reply } from './thread/thread-client.ts'
import { startThreadServer, type ThreadServer } from './thread/thread-server.ts'

const script = { note: [{ text: 'Let me write.', calls: [['write_note', { text: 'hi' }]] }] } as const
const SERVER_TOOLS = { 'x-server-tools': 'write_note' }

let folder: string
let server: ThreadServer
const start = async (): Promise<void> => {
  server = await startThreadServer({ script, store: await openSqliteStore({ dir: folder }) })
}
const restart = async (): Promise<void> => {
  await server.close()
  await start()
}

const send = (path: string, body: object, headers?: Record<string, string>): Promise<Reply> =>
  post(server.url + path, body, headers)

/** Begins a session on a wire with a message whose call needs an approval; gives the session's id. */
const WIRES: Readonly<Record<string, () => Promise<string>>> = {
  chat: async () => {
    const { id } = (await send('/api/sessions', {})).body
    await send('/api/chat/stream', { session_id: id, message: 'note' })
    return id
  },
  thread: async () => {
    const { thread_id } = (await send('/v4/response', { input: 'note' })).body
    return (await get(`${server.url}/v4/threads/${thread_id}`)).body.session_id
  },
  openai: async () => {
    const messages = [{ role: 'user', content: 'note' }]
    const reply = await send('/v1/chat/completions', { model: 'script', messages }, SERVER_TOOLS)
    return reply.headers.get('x-session-id') ?? ''
  },
  anthropic: async () => {
    const body = { model: 'script', max_tokens: 100, messages: [{ role: 'user', content: 'note' }] }
    return (await send('/v1/messages', body, SERVER_TOOLS)).headers.get('x-session-id') ?? ''
  },
}

interface Pending {
  readonly session: string
  readonly approval_id: string
  readonly call_id: string
}
interface Answer {
  readonly approved: boolean
  readonly reason?: string
  readonly rule?: string
  readonly input?: object
  readonly answer?: string
}

/** Where an answer may come in. */
const DOORS: Readonly<Record<string, (to: Pending, answer: Answer) => Promise<Reply>>> = {
  'the session API': ({ approval_id }, answer) => send(`/api/approvals/${approval_id}`, answer),
  'the chat wire': ({ session, approval_id }, answer) =>
    send('/api/chat/stream', { session_id: session, approvals: [{ approval_id, ...answer }] }),
  'the thread wire': ({ session, call_id }, { input, ...answer }) =>
    send('/v4/response', {
      thread_id: session,
      tool_approvals: [{ call_id, ...answer, ...(input ? { arguments: input } : {}) }],
    }),
}

interface Verb {
  readonly answer: Answer
  /** What the tool did. */
  readonly ran: readonly string[]
  /** What the model received as the result of its call. */
  readonly told: RegExp
}
const VERBS: Readonly<Record<string, Verb>> = {
  'allow once': { answer: { approved: true }, ran: ['write_note hi'], told: /^wrote hi$/ },
  'allow by rule': {
    answer: { approved: true, rule: 'write_note' },
    ran: ['write_note hi'],
    told: /^wrote hi$/,
  },
  'deny with a reason': {
    answer: { approved: false, reason: 'not on a Sunday' },
    ran: [],
    told: /not on a Sunday/,
  },
  'edit the arguments': {
    answer: { approved: true, input: { text: 'bye' } },
    ran: ['write_note bye'],
    told: /^wrote bye$/,
  },
  'answer instead of running': {
    answer: { approved: true, answer: 'it is written already' },
    ran: [],
    told: /^it is written already$/,
  },
}

const CASES = Object.keys(WIRES).flatMap(wire =>
  Object.keys(DOORS).flatMap(door => Object.keys(VERBS).map(verb => [wire, verb, door] as const)),
)
const waiting = new Map<string, Pending>()
const keyOf = (...parts: readonly string[]): string => parts.join(' / ')

const logOf = async (session: string): Promise<readonly SessionEvent[]> =>
  (await server.store.read(session, 0, 1000)).map(rec => rec.ev)
const answersIn = async (session: string): Promise<readonly EventOf<'input.approval'>[]> =>
  (await logOf(session)).filter(ev => ev.type === 'input.approval')

async function pendingOf(session: string): Promise<Pending> {
  const { pending } = (await get(`${server.url}/api/sessions/${session}`)).body
  expect(pending).toMatchObject([{ kind: 'approval', name: 'write_note' }])
  return { session, approval_id: pending[0].id, call_id: pending[0].call_id }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-approvals-'))
  await start()
  for (const [wire, verb, door] of CASES)
    waiting.set(keyOf(wire, verb, door), await pendingOf((await WIRES[wire]?.()) ?? ''))
  // The callers below talk to a process that never asked.
  await restart()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const given = (...names: readonly string[]): Pending => {
  const found = waiting.get(keyOf(...names))
  if (!found) throw new Error('nothing was asked')
  return found
}

describe('after a restart', () => {
  it('everything that waits is listed with its session', async () => {
    const session = (await WIRES['chat']?.()) ?? ''
    const { approval_id } = await pendingOf(session)
    await restart()
    const { pending } = (await get(`${server.url}/api/pending?limit=500`)).body
    expect(pending).toContainEqual(expect.objectContaining({ session_id: session, id: approval_id }))
  })

  it.each(CASES)('asked on %s: %s, by %s; what every route returns after it', async (wire, name, door) => {
    const { answer, ran, told } = VERBS[name] as Verb
    const to = given(wire, name, door)
    const before = server.ran.length
    expect((await DOORS[door]?.(to, answer))?.status).toBe(200)
    await server.settled()
    expect(server.ran.slice(before)).toEqual(ran)
    const log = await logOf(to.session)
    expect(log.at(-1)?.type).toBe('run.completed')
    expect(resultTold()).toMatch(told)
    const rules = log.flatMap(ev => (ev.type === 'note' && ev.name.startsWith('rule:') ? [ev.name] : []))
    expect(rules).toEqual(answer.rule ? ['rule:write_note'] : [])
    await expectDecided(to, answer)
    expect(await logOf(to.session)).toEqual(log)
  })

  it('a second answer gets the first decision from a process that never received it', async () => {
    const to = await pendingOf((await WIRES['thread']?.()) ?? '')
    const answer = { approved: false, reason: 'no' }
    await DOORS['the chat wire']?.(to, answer)
    await restart()
    await expectDecided(to, answer)
  })
})

it('a rule spares the next question, and only in its session', async () => {
  const to = await pendingOf((await WIRES['chat']?.()) ?? '')
  await DOORS['the thread wire']?.(to, { approved: true, rule: 'write_note' })
  const before = server.ran.length
  await send('/api/chat/stream', { session_id: to.session, message: 'note' })
  expect(server.ran.slice(before)).toEqual(['write_note hi'])
  await pendingOf((await WIRES['chat']?.()) ?? '')
})

it('a rule for a time, given on the thread wire, has its end', async () => {
  const to = await pendingOf((await WIRES['thread']?.()) ?? '')
  const { call_id } = to
  const give = (rule_ttl_s: number) =>
    send('/v4/response', {
      thread_id: to.session,
      tool_approvals: [{ call_id, approved: true, rule: 'write_note', rule_ttl_s }],
    })
  expect((await give(0)).status).toBe(400)
  const now = Date.now()
  await give(3600)
  const [answer] = await answersIn(to.session)
  expect(Date.parse(answer?.rule_expires_at ?? '')).toBeGreaterThanOrEqual(now + 3_600_000)
})

it('of many answers at once, by every route, one is recorded and all callers learn which', async () => {
  const to = await pendingOf((await WIRES['chat']?.()) ?? '')
  const before = server.ran.length
  const answers = [true, false, true, false].flatMap(approved =>
    Object.values(DOORS).map(door => door(to, { approved })),
  )
  const replies = await Promise.all(answers)
  await server.settled()
  const recorded = await answersIn(to.session)
  expect(recorded).toHaveLength(1)
  const decision = recorded[0]?.decision
  expect(server.ran.slice(before)).toEqual(decision === 'approved' ? ['write_note hi'] : [])
  const said = replies.flatMap(({ body }) => body?.decision ?? body?.error?.details.decision ?? [])
  expect(new Set(said)).toEqual(new Set([decision]))
})

it('an id without a question is not found, by any route', async () => {
  const session = (await WIRES['chat']?.()) ?? ''
  const unknown = { session, approval_id: `apr_${session}.none`, call_id: 'none' }
  const replies = await Promise.all(Object.values(DOORS).map(door => door(unknown, { approved: true })))
  // The thread wire names calls, and an unknown call is an error in the request.
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 400])
})

/** What the model received last as the result of its call. */
function resultTold(): string {
  // Words of the server may follow it: they say that a person changed the call.
  const last = server.requests.at(-1)?.messages.findLast(message => message.role === 'tool')
  return last?.role === 'tool' ? (last.results[0]?.output_text ?? '') : ''
}

/** Every route returns the decision to a later caller with another one, and accepts the same one again. */
async function expectDecided(to: Pending, answer: Answer): Promise<void> {
  const decision = answer.approved ? 'approved' : 'denied'
  const { reason } = answer
  const other = { approved: !answer.approved }
  const api = await DOORS['the session API']?.(to, other)
  expect(api?.body).toMatchObject({ decision, first: false, ...(reason ? { reason } : {}) })
  expect((await DOORS['the chat wire']?.(to, other))?.status).toBe(200)
  const thread = await DOORS['the thread wire']?.(to, other)
  expect([thread?.status, thread?.body.error.details.decision]).toEqual([409, decision])
  expect((await DOORS['the thread wire']?.(to, answer))?.status).toBe(200)
  expect(await answersIn(to.session)).toHaveLength(1)
}
