/**
 * Two owners on one server. For every route there is, a request that names another one's session
 * must be answered exactly like one that names nothing: same status, same body, nothing written.
 * The same request must work for the owner: otherwise its refusal says nothing about ownership.
 * A new route without a row here fails the test.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { createInstruments } from '../../src/index.ts'
import type { PermissionPort } from '../../src/ports.ts'
import { ROUTES } from '../../src/routes.ts'
import { AGENT_ROWS } from './agent-rows.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'
import { mcp } from './neighbour-pages.ts'

interface Ids {
  readonly session: string
  readonly thread_no: number
  readonly approval: string
  readonly call: string
  /** The first message of the user, or one that waits behind the pause. */
  readonly message: string
}
interface Probe {
  readonly path: string
  readonly body?: unknown
  /** What alpha's session waits for; a client's output by default. */
  readonly on?: 'ask' | 'queue'
}
/** `own` routes name no session: what they show is checked separately. */
type Row = { readonly own: string } | ((ids: Ids) => readonly Probe[])

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
/** Routes that ask for more than a common key has. */
const BY_SCOPE = ROUTES.filter(({ scope }) => scope === 'admin' || scope === 'metrics' || scope === 'mcp')
/** Files that are the same for everyone. */
const PAGES = ROUTES.filter(({ tag }) => tag === 'Web app')

const say = 'echo'
const WISH = { rule: 'Bash', decision: 'allow', scope: 'session' }
const RULE_OF = '/api/permissions/rule_1?session_id='
/** A request for something of the session, without a body. */
const inSession = (rest: string) => (ids: Ids) => [{ path: `/api/sessions/${ids.session}${rest}` }]
const inQueue = (body?: object) => (ids: Ids) =>
  inSession(`/queue/${ids.message}`)(ids).map(one => ({ ...one, body, on: 'queue' as const }))
const ROWS: Readonly<Record<string, Row>> = {
  'HEAD /': { own: 'no data' },
  'GET /health': { own: 'no data' },
  'GET /healthz': { own: 'no data' },
  'GET /readyz': { own: 'no data' },
  'GET /api/tools': { own: 'settings' },
  'GET /api/models': { own: 'settings' },
  ...AGENT_ROWS,
  'GET /api/skills': { own: 'files of a folder that the key may choose' },
  'GET /api/me': { own: 'the key itself' },
  'GET /api/audit': { own: 'entries of the owner' },
  'GET /api/settings': { own: 'settings' },
  'GET /openapi.json': { own: 'the same for everybody' },
  'GET /reference': { own: 'the same for everybody' },
  'GET /api/mcp': { own: 'settings' },
  'GET /api/mcp/callback': { own: 'the state of a sign-in is the credential' },
  'POST /api/tools/:name/try': { own: 'makes a session of the owner' },
  'GET /api/permissions': ids => [{ path: `/api/permissions?session_id=${ids.session}` }],
  'POST /api/permissions': ids => [{ path: `/api/permissions?session_id=${ids.session}`, body: WISH }],
  'PUT /api/permissions/:id': ids => [{ path: RULE_OF + ids.session, body: WISH }],
  'DELETE /api/permissions/:id': ids => [{ path: RULE_OF + ids.session }],
  'GET /api/pending': { own: 'listed apart' },
  'GET /api/sessions': { own: 'listed apart' },
  'POST /api/sessions': { own: 'makes one' },
  'GET /v1/models': { own: 'settings' },
  'GET /v1/models/*': { own: 'settings' },
  'POST /v1/messages/count_tokens': { own: 'stateless' },
  'GET /v4/response/:run_token': { own: 'the token is the credential' },
  'GET /api/sessions/:id': ids => [{ path: `/api/sessions/${ids.session}` }],
  'PATCH /api/sessions/:id': ids => [{ path: `/api/sessions/${ids.session}`, body: { title: 'mine' } }],
  'DELETE /api/sessions/:id': ids => [{ path: `/api/sessions/${ids.session}` }],
  'GET /api/sessions/:id/events': ids => [
    ...inSession('/events')(ids),
    ...inSession(`/events?after=${ids.session}.1.0`)(ids),
  ],
  'GET /api/sessions/:id/export': inSession('/export'),
  'GET /api/sessions/:id/messages': inSession('/messages'),
  'GET /api/sessions/:id/artifacts/:call': ids => inSession(`/artifacts/${ids.call}`)(ids),
  'POST /api/sessions/:id/tool_outputs': ids => [
    {
      path: `/api/sessions/${ids.session}/tool_outputs`,
      body: { tool_outputs: [{ tool_use_id: ids.call, output: 'stolen' }] },
    },
  ],
  'POST /api/sessions/:id/cancel': ids => [{ path: `/api/sessions/${ids.session}/cancel`, body: {} }],
  'POST /api/sessions/:id/calls/:call/cancel': ids => [
    { path: `/api/sessions/${ids.session}/calls/${ids.call}/cancel`, body: {} },
  ],
  'GET /api/sessions/:id/calls/:call/page': ids => inSession(`/calls/${ids.call}/page`)(ids),
  'GET /api/sessions/:id/calls/:call/page/resource': ids => [
    { path: `/api/sessions/${ids.session}/calls/${ids.call}/page/resource?uri=a` },
  ],
  'POST /api/sessions/:id/calls/:call/page/calls': ids => [
    { path: `/api/sessions/${ids.session}/calls/${ids.call}/page/calls`, body: { name: 'x' } },
  ],
  'POST /api/sessions/:id/messages': ids =>
    inSession('/messages')(ids).map(one => ({ ...one, body: { message: say } })),
  'GET /api/sessions/:id/queue': inSession('/queue'),
  'POST /api/sessions/:id/queue/resume': inSession('/queue/resume'),
  'PATCH /api/sessions/:id/queue/:message': inQueue({ position: 0 }),
  'DELETE /api/sessions/:id/queue/:message': inQueue(),
  'POST /api/sessions/:id/fork': ids => [{ path: `/api/sessions/${ids.session}/fork`, body: {} }],
  'POST /api/sessions/:id/regenerate': ids => [{ path: `/api/sessions/${ids.session}/regenerate`, body: {} }],
  'POST /api/sessions/:id/messages/:message/edit': ids => [
    { path: `/api/sessions/${ids.session}/messages/${ids.message}/edit`, body: { content: 'mine' } },
  ],
  'GET /api/sessions/:id/branches': inSession('/branches'),
  'POST /api/sessions/:id/branches/:branch/select': ids => [
    { path: `/api/sessions/${ids.session}/branches/main/select`, body: {} },
  ],
  'GET /api/sessions/:id/context': inSession('/context'),
  'POST /api/sessions/:id/context/refresh': inSession('/context/refresh'),
  'GET /api/me/instructions': { own: 'the owner alone' },
  'PUT /api/me/instructions': { own: 'the owner alone' },
  'GET /api/sessions/:id/changes': inSession('/changes'),
  'GET /api/sessions/:id/files': inSession('/files'),
  'GET /api/sessions/:id/files/content': inSession('/files/content?path=output.txt'),
  'POST /api/sessions/:id/undo': ids =>
    inSession('/undo')(ids).map(one => ({ ...one, body: { session: true } })),
  'POST /api/approvals/:id': ids => [
    { path: `/api/approvals/${ids.approval}`, body: { decision: 'approved' }, on: 'ask' },
  ],
  'POST /api/permissions/explain': ids => [
    { path: '/api/permissions/explain', body: { session_id: ids.session, tool: 'Bash', input: {} } },
    { path: '/api/permissions/explain', body: { session_id: ids.session, rule: 'Bash' } },
  ],
  'POST /api/chat/stream': ids => [
    { path: '/api/chat/stream', body: { session_id: ids.session, message: say } },
    {
      path: '/api/chat/stream',
      body: { session_id: ids.session, approvals: [{ approval_id: ids.approval, decision: 'approved' }] },
      on: 'ask',
    },
  ],
  'GET /api/chat/stream': ids => [{ path: `/api/chat/stream?session_id=${ids.session}` }],
  'POST /v4/response': ids => [
    { path: '/v4/response', body: { thread_id: ids.session, input: say } },
    { path: '/v4/response', body: { thread_id: ids.thread_no, input: say } },
    {
      path: '/v4/response',
      body: { thread_id: ids.session, tool_outputs: [{ call_id: ids.call, output: 'stolen' }] },
    },
    {
      path: '/v4/response',
      body: { thread_id: ids.session, tool_approvals: [{ call_id: ids.call, approved: true }] },
      on: 'ask',
    },
  ],
  'GET /v4/response': ids => [{ path: `/v4/response?thread_id=${ids.thread_no}&input=${say}` }],
  'POST /v4/prepare': ids => [{ path: '/v4/prepare', body: { thread_id: ids.session, input: say } }],
  'GET /v4/threads/:id': ids => [
    { path: `/v4/threads/${ids.session}` },
    { path: `/v4/threads/${ids.thread_no}` },
  ],
  'GET /v4/threads/:id/events': ids => [{ path: `/v4/threads/${ids.session}/events` }],
  ...Object.fromEntries(
    [
      ...['/api', '/api/ai/v5', '/api/ai/v6', '/api/ai/v7'].flatMap(base =>
        ['POST /chat', 'GET /chat/:id/stream', 'POST /chat/:id/stop', 'GET /chat/:id/messages'].map(route =>
          route.replace(' ', ` ${base}`),
        ),
      ),
      'POST /ag-ui',
      'POST /ag-ui/:agent',
      'POST /copilotkit',
      'POST /copilotkit/agent/:agent/run',
      'POST /copilotkit/agent/:agent/connect',
      'POST /copilotkit/agent/:agent/stop/:thread',
    ].map(route => [route, { own: 'ids are names of the owner: tested below' }]),
  ),
  'POST /copilotkit/agent/:agent/suggest': { own: 'stateless' },
  'GET /copilotkit/info': { own: 'settings' },
  'POST /v1/chat/completions': { own: 'sessions are matched within the owner: tested below' },
  'POST /v1/messages': { own: 'sessions are matched within the owner: tested below' },
  'POST /v1/responses': { own: 'responses are found within the owner: response-owners.test.ts' },
  'GET /v1/responses/:id': ids => [{ path: `/v1/responses/resp_${ids.session}_3` }],
  'POST /v1/responses/:id/cancel': ids => [{ path: `/v1/responses/resp_${ids.session}_3/cancel`, body: {} }],
  'DELETE /v1/responses/:id': ids => [{ path: `/v1/responses/resp_${ids.session}_3` }],
  'GET /v1/responses/:id/input_items': ids => [{ path: `/v1/responses/resp_${ids.session}_3/input_items` }],
  'POST /v1/responses/input_tokens': { own: 'stateless' },
  'POST /v1/responses/compact': { own: 'responses are found within the owner: response-owners.test.ts' },
  ...Object.fromEntries(
    'POST,GET /:id,POST /:id,DELETE /:id,GET /:id/items,POST /:id/items,GET /:id/items/:item'
      .split(',')
      .map(route => route.split(' '))
      .map(([method, rest = '']) => [
        `${method} /v1/conversations${rest}`,
        { own: 'response-owners.test.ts' },
      ]),
  ),
}

/** Rules that every session has: what a stranger may not set, change or take back. */
const rule = { id: 'rule_1', rule: 'Bash', decision: 'allow', source: 'session', revocable: true } as const
const permissions: PermissionPort = {
  list: async () => [rule],
  revoke: async () => ({ type: 'note', name: 'rule:Bash', rule }),
  set: async () => ({ type: 'set', rule, notes: [{ name: 'rule:Bash', value: true }] }),
  rehearse: async () => ({ rule: 'Bash' }),
}
let server: KeyServer
let alpha: string
let beta: string
let chief: string
let paused: Ids
const folder = mkdtempSync(join(tmpdir(), 'toolwire-neighbours-'))
const NOWHERE: Ids = {
  session: '00000000-0000-8000-8000-000000000000',
  thread_no: 1,
  approval: 'apr_00000000-0000-8000-8000-000000000000.x1',
  call: 'call_none',
  message: 'msg_none',
}

beforeAll(async () => {
  writeFileSync(join(folder, 'output.txt'), 'kept by alpha')
  // With everything that adds a route, and something behind each.
  server = await startKeyServer(
    {
      explainPermission: async () => ({ decision: 'allow' }),
      undo: async () => ({ undone: [] }),
      files: { list: async () => ({ entries: [] }), find: async () => join(folder, 'output.txt') },
      artifactFile: () => join(folder, 'output.txt'),
      permissions,
      mcp,
      mcpServer: { open: () => ({ handle: async () => new Response(), close: async () => {} }) },
    },
    { instruments: createInstruments(), webRoot: '/nowhere' },
  )
  alpha = await server.newKey({ owner: 'alpha', scopes: ['admin'] })
  beta = await server.newKey({ owner: 'beta' })
  chief = await server.newKey({ owner: 'beta', scopes: ['admin'] })
  paused = await waiting('client')
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A session of alpha's that waits for something. */
async function waiting(on: 'client' | 'ask' | 'queue'): Promise<Ids> {
  const message = on === 'ask' ? on : 'client'
  const created = (await server.as(alpha, 'POST', '/api/sessions', {})).body
  await (
    await server.chat(
      { session_id: created.id, message, tools: [{ name: 'pick', input_schema: { type: 'object' } }] },
      { authorization: `Bearer ${alpha}` },
    )
  ).text()
  const { pending } = (await server.as(alpha, 'GET', `/api/sessions/${created.id}`)).body
  const [item] = pending
  return {
    session: created.id,
    thread_no: Number.parseInt(created.id.replaceAll('-', '').slice(0, 12), 16),
    approval: item.kind === 'approval' ? item.id : NOWHERE.approval,
    call: item.call_id,
    message: await messageOf(created.id, on),
  }
}

async function messageOf(session: string, on: string): Promise<string> {
  const queued = { message: say, if_paused: 'queue' }
  if (on === 'queue') await server.as(alpha, 'POST', `/api/sessions/${session}/messages`, queued)
  const events = (await server.store.read(session, 0, 100)).map(({ ev }) => ev)
  return events.flatMap(ev => (ev.type === 'input.message' ? [ev.message_id] : [])).at(-1) ?? ''
}

const methodOf = (route: string): string => route.split(' ', 1)[0] ?? ''

interface Heard {
  readonly status: number
  readonly text: string
}

/** Whatever is answered, a stream too. */
async function ask(key: string, route: string, { path, body }: Probe): Promise<Heard> {
  const answer = await fetch(server.url + path, {
    method: methodOf(route),
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

/** An answer without what differs between any two requests, and without what the asker said itself. */
async function answerOf(key: string, route: string, probe: Probe, ids: Ids): Promise<Heard> {
  const { status, text } = await ask(key, route, probe)
  const plain = text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
  return {
    status,
    text: Object.values(ids).reduce<string>((t, id) => t.replaceAll(String(id), 'ID'), plain),
  }
}

/** Each probe of a row with an untouched session of alpha's, and the same probe of nothing. */
async function eachProbe(
  row: (ids: Ids) => readonly Probe[],
  visit: (probe: Probe, ids: Ids, blank: Probe) => Promise<void>,
): Promise<void> {
  for (const [i, blank] of row(NOWHERE).entries()) {
    const ids = await waiting(blank.on ?? 'client')
    const probe = row(ids)[i]
    if (!probe) throw new Error('every blank has a probe')
    await visit(probe, ids, blank)
  }
}

describe('a neighbour', () => {
  it('meets a rule for every route', () => {
    const served = server.server.routes.map(nameOf)
    const decided = new Set([...Object.keys(ROWS), ...BY_SCOPE.map(nameOf), ...PAGES.map(nameOf)])
    expect(served.filter(route => !decided.has(route))).toEqual([])
    expect([...decided].filter(route => !served.includes(route))).toEqual([])
  })

  for (const { method, path, scope } of BY_SCOPE)
    it(`gets nothing by ${method} ${path} without the scope ${scope}`, async () => {
      const body = method === 'POST' ? {} : undefined
      const refused = await server.as(beta, method, path.replace(/:\w+|\*/, 'x'), body)
      expect(refused.status).toBe(403)
      // JSON-RPC errors have numbers as codes.
      expect(refused.body.error.data?.code ?? refused.body.error.code).toBe('forbidden')
      expect(refused.body.error.message).toContain(scope)
    })

  for (const [route, row] of Object.entries(ROWS)) {
    if ('own' in row) continue
    for (const [name, key] of [
      ['', () => beta],
      [' with the scope admin', () => chief],
    ] as const)
      it(`learns nothing by ${route}${name}`, async () => {
        await eachProbe(row, async (probe, ids, blank) => {
          const before = await server.store.read(ids.session, 0, 10_000)
          const got = await answerOf(key(), route, probe, ids)
          expect(got).toEqual(await answerOf(key(), route, blank, NOWHERE))
          // The scope admin is lacking nowhere, so what refuses is that the session is another's.
          const refused = (status: number): boolean => status === 404 || (name === '' && status === 403)
          expect(got).toMatchObject({ status: expect.toSatisfy(refused) })
          expect(got.text).not.toContain('kept by alpha')
          expect(await server.store.read(ids.session, 0, 10_000)).toEqual(before)
        })
      })

    it(`is refused by ${route} what the owner gets`, async () => {
      await eachProbe(row, async probe => {
        const { status, text } = await ask(alpha, route, probe)
        expect({ status, text }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 400) })
      })
    })
  }

  it('sees no session and nothing pending in lists, and the owner does', async () => {
    expect((await server.as(beta, 'GET', '/api/sessions')).body.sessions).toEqual([])
    expect((await server.as(beta, 'GET', '/api/sessions?text=client')).body.sessions).toEqual([])
    expect((await server.as(beta, 'GET', '/api/pending')).body.pending).toEqual([])
    expect((await server.as(alpha, 'GET', '/api/sessions')).body.sessions.length).toBeGreaterThan(1)
    expect((await server.as(alpha, 'GET', '/api/pending')).body.pending.length).toBeGreaterThan(1)
  })

  it('with the same Idempotency-Key gets a separate session', async () => {
    const create = async (key: string): Promise<string> =>
      (
        await server.json(
          'POST',
          '/api/sessions',
          {},
          { authorization: `Bearer ${key}`, 'idempotency-key': 'k' },
        )
      ).body.id
    expect(await create(alpha)).toBe(await create(alpha))
    expect(await create(beta)).not.toBe(await create(alpha))
  })

  for (const [path, extra] of [
    ['/v1/chat/completions', {}],
    ['/v1/messages', { max_tokens: 10 }],
  ] as const)
    it(`cannot reach a conversation by naming it on ${path}`, async () => {
      const before = await server.store.read(paused.session, 0, 10_000)
      const headers = { authorization: `Bearer ${beta}`, 'x-session-id': paused.session }
      const body = { model: 'demo', messages: [{ role: 'user', content: say }], ...extra }
      const answer = await server.json('POST', path, body, headers)
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).not.toContain('pick')
      expect(await server.store.read(paused.session, 0, 10_000)).toEqual(before)
    })

  it('who names a chat or session of the owner finds an idle new chat', async () => {
    const before = await server.store.read(paused.session, 0, 10_000)
    const path = `/api/chat/${paused.session}`
    expect(await server.as(chief, 'GET', `${path}/messages`)).toMatchObject({ body: { messages: [] } })
    expect((await server.as(alpha, 'GET', `${path}/messages`)).body.messages).toHaveLength(2)
    expect((await server.as(chief, 'GET', `${path}/stream`)).status).toBe(204)
    expect((await server.as(chief, 'POST', `${path}/stop`)).body).toEqual({ stopped: false })
    const parts = [{ type: 'text', text: say }]
    const body = { id: paused.session, messages: [{ id: 'u1', role: 'user', parts }] }
    const answer = await ask(beta, 'POST', { path: '/api/chat', body })
    expect(answer).toMatchObject({ status: 200, text: expect.not.stringContaining('pick') })
    const run = {
      threadId: paused.session,
      runId: 'r1',
      messages: [{ id: 'u2', role: 'user', content: say }],
    }
    const agent = '/copilotkit/agent/default'
    expect((await ask(chief, 'POST', { path: `${agent}/stop/${paused.session}`, body: {} })).text).toBe(
      '{"stopped":false}',
    )
    for (const path of ['/ag-ui', `${agent}/run`, `${agent}/connect`])
      expect((await ask(beta, 'POST', { path, body: run })).text).not.toContain('pick')
    expect(await server.store.read(paused.session, 0, 10_000)).toEqual(before)
  })

  it('of the same owner with another key shares everything', async () => {
    const second = await server.newKey({ owner: 'alpha' })
    expect((await server.as(second, 'GET', `/api/sessions/${paused.session}`)).status).toBe(200)
  })
})
