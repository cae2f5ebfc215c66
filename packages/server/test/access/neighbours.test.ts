/**
 * Two owners on one server. For every route there is, a request that names another one's session
 * must be answered exactly like one that names nothing: same status, same body, nothing written.
 * The same request must work for the owner: otherwise its refusal says nothing about ownership.
 * A new route without a row here fails the test.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolderFiles } from '@toolwire/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { AuthSettings, createInstruments, type SignedIn } from '../../src/index.ts'
import type { PermissionPort } from '../../src/ports.ts'
import { ROUTES } from '../../src/routes.ts'
import { AUDIENCE, ISSUER, startIssuer } from './jwt/issuer.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'
import { mcp } from './neighbour-pages.ts'
import { type Ids, type Probe, ROWS, say } from './neighbour-rows.ts'

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
/** Routes that ask for more than a common key has. */
const BY_SCOPE = ROUTES.filter(({ scope }) => ['admin', 'metrics', 'mcp', 'tokens'].includes(scope))
const ADMIN = new Set(BY_SCOPE.map(nameOf))
/** Files that are the same for everyone. */
const PAGES = ROUTES.filter(({ tag }) => tag === 'Web app')

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
/** Browser tokens: of beta, of alpha, and of alpha for another session. */
let guest: string
let page: string
let narrow: string
/** By JSON web token: of beta, and of alpha. By the sign-in of the application: both again. */
let signed: string
let signedPage: string
const APPLICATION: Readonly<Record<string, SignedIn>> = {
  'Bearer application-beta': { owner: 'beta', scopes: ['read', 'write', 'approve', 'gateway'] },
  'Bearer application-alpha': { owner: 'alpha', scopes: ['read', 'write', 'approve', 'gateway'] },
}
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
  const issuer = await startIssuer()
  const map = { user: ['read', 'write', 'approve', 'gateway'] as const }
  const settings = AuthSettings.parse({
    jwt: [{ issuer: ISSUER, audience: AUDIENCE, claims: { scopes: [{ from: 'role', map }] } }],
  })
  signed = await issuer.sign({ sub: 'beta', role: 'user' })
  signedPage = await issuer.sign({ sub: 'alpha', role: 'user' })
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
    {
      instruments: createInstruments(),
      webRoot: '/nowhere',
      files: openFolderFiles({ dir: join(folder, 'files') }),
      auth: { settings, readDocument: issuer.readDocument },
      authenticate: ({ headers }) => APPLICATION[headers.get('authorization') ?? ''] ?? null,
    },
  )
  alpha = await server.newKey({ owner: 'alpha', scopes: ['admin'] })
  beta = await server.newKey({ owner: 'beta' })
  chief = await server.newKey({ owner: 'beta', scopes: ['admin'] })
  paused = await waiting('client')
  const minter = await server.newKey({ owner: 'app', scopes: ['admin', 'tokens'] })
  const newToken = async (body: object): Promise<string> =>
    (await server.as(minter, 'POST', '/api/tokens', body)).body.token
  guest = await newToken({ owner: 'beta' })
  page = await newToken({ owner: 'alpha' })
  narrow = await newToken({ owner: 'alpha', sessions: [paused.session] })
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
      [' with a browser token', () => guest],
      [' with a JSON web token', () => signed],
      [' by the sign-in of the application', () => 'application-beta'],
      [' of the owner with a token for another session', () => narrow],
    ] as const)
      it(`learns nothing by ${route}${name}`, async () => {
        await eachProbe(row, async (probe, ids, blank) => {
          const before = await server.store.read(ids.session, 0, 10_000)
          const got = await answerOf(key(), route, probe, ids)
          expect(got).toEqual(await answerOf(key(), route, blank, NOWHERE))
          // The scope admin is lacking nowhere, so what refuses is that the session is another's.
          const refused = (status: number): boolean => status === 404 || (key() !== chief && status === 403)
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

    for (const [name, key] of [
      ['a browser token', () => page],
      ['a JSON web token', () => signedPage],
      ['the sign-in of the application', () => 'application-alpha'],
    ] as const)
      it(`gives the owner by ${route} what the scopes of ${name} allow`, async () => {
        await eachProbe(row, async probe => {
          const { status, text } = await ask(key(), route, probe)
          const allowed = (code: number): boolean => (ADMIN.has(route) ? code === 403 : code < 400)
          expect({ status, text }).toMatchObject({ status: expect.toSatisfy(allowed) })
        })
      })
  }

  it('sees no session and nothing pending in lists, and the owner does', async () => {
    expect((await server.as(beta, 'GET', '/api/sessions')).body.sessions).toEqual([])
    expect((await server.as(beta, 'GET', '/api/sessions?text=client')).body.sessions).toEqual([])
    expect((await server.as(beta, 'GET', '/api/pending')).body.pending).toEqual([])
    expect((await server.as(guest, 'GET', '/api/sessions')).body.sessions).toEqual([])
    expect((await server.as(guest, 'GET', '/api/pending')).body.pending).toEqual([])
    const [only, ...others] = (await server.as(narrow, 'GET', '/api/sessions')).body.sessions
    expect([only.id, others]).toEqual([paused.session, []])
    expect((await server.as(narrow, 'GET', '/api/sessions?text=client')).body.sessions).toHaveLength(1)
    const waits = (await server.as(narrow, 'GET', '/api/pending')).body.pending
    expect(new Set(waits.map((item: { session_id: string }) => item.session_id))).toEqual(
      new Set([paused.session]),
    )
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
