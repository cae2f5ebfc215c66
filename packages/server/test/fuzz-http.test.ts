/**
 * Every route that there is, asked over a real socket with wounded bodies, queries, paths and headers: it answers, or
 * refuses in the words of its wire. Nothing is a bug (500), nothing hangs, and the server serves afterwards.
 */

import { createMemoryRecords } from '@toolwire/store'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { createKey } from '../src/access/api-key.ts'
import { SCOPES } from '../src/access/principal.ts'
import type { Route } from '../src/http/route.ts'
import { createInstruments } from '../src/index.ts'
import { ROUTES } from '../src/routes.ts'
import type { TestConfig } from './split-config.ts'
import { type Running, startServer } from './start-server.ts'

const TOOL = { name: 'pick', input_schema: { type: 'object', properties: { a: { type: 'string' } } } }
const ASKED = [{ role: 'user', content: 'echo' }]
const SESSION = '0190aaaa-0000-7000-8000-000000000000'
const outputs = [{ tool_use_id: 'c1', output: 'x' }]

/** Chats of pages, in the words of the AI SDK. */
const PAGES = [
  { id: 'chat', messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'echo' }] }] },
  {
    id: SESSION,
    trigger: 'submit-message',
    messages: [
      {
        id: 'a1',
        role: 'assistant',
        parts: [{ type: 'tool-pick', toolCallId: 'c1', state: 'output-available', input: {}, output: 'x' }],
      },
    ],
  },
]
/** Runs in the words of AG-UI. */
const RUNS = [
  {
    threadId: 'thread',
    runId: 'r1',
    messages: [{ id: 'm1', role: 'user', content: 'echo' }],
    tools: [{ name: 'pick', description: 'picks', parameters: { type: 'object' } }],
    context: [{ description: 'page', value: 'home' }],
    state: { a: 1 },
    forwardedProps: {},
  },
  {
    threadId: SESSION,
    runId: 'r2',
    messages: [],
    resume: [{ interruptId: 'i', status: 'resolved', payload: {} }],
  },
]

/** Honest bodies of every route that takes one. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  'POST /api/sessions': [
    { title: 'a', model: 'demo', tools: ['Danger'], permission_mode: 'plan', workspace: 'sub' },
    { system: 'Be brief.', metadata: { engine: 'native', labels: { a: 1 } } },
  ],
  'PATCH /api/sessions/:id': [{ title: 'b', model: 'demo', permission_mode: 'default' }],
  'POST /api/chat/stream': [
    { session_id: SESSION, message: 'echo', tools: [TOOL], options: { temperature: 1 }, max_turns: 2 },
    { session_id: SESSION, tool_outputs: outputs, approvals: [{ approval_id: 'a', decision: 'approve' }] },
  ],
  'POST /api/approvals/:id': [{ decision: 'approved', rule: 'Bash(ls:*)', input: { command: 'ls' } }],
  'POST /api/sessions/:id/tool_outputs': [{ tool_outputs: outputs }],
  'POST /api/sessions/:id/cancel': [{ reason: 'enough' }],
  'POST /api/sessions/:id/calls/:call/cancel': [{ reason: 'enough' }],
  'POST /api/sessions/:id/calls/:call/page/calls': [{ name: 'save', arguments: { city: 'Oslo' } }],
  'POST /api/sessions/:id/fork': [{ at: 1, title: 'a fork' }, { at: `${SESSION}.1.0` }],
  'POST /api/sessions/:id/messages': [
    { message: 'echo', when_running: 'steer', expected_run_id: 'r1' },
    { message: [{ type: 'text', text: 'echo' }], when_running: 'reject' },
  ],
  'PATCH /api/sessions/:id/queue/:message': [
    { content: 'again', when_running: 'steer', place: 0, if_revision: 1 },
  ],
  'POST /api/sessions/:id/regenerate': [{ message_id: 'm1', effects: 'ask', interrupt: true, model: 'm' }],
  'POST /api/sessions/:id/messages/:message/edit': [{ content: 'again', effects: 'restore' }],
  'POST /api/sessions/:id/undo': [{ session: true, dry_run: true }, { call: 'c1' }, { turn: 't1' }],
  'POST /api/permissions': [
    { rule: 'Bash(ls:*)', decision: 'allow', scope: 'project', expires_at: '2099-01-01T00:00:00Z' },
  ],
  'PUT /api/permissions/:id': [{ rule: '@explore Bash', decision: 'deny', scope: 'session' }],
  'POST /api/permissions/explain': [
    { session_id: SESSION, tool: 'Bash', input: { command: 'ls' }, permission_mode: 'plan' },
    { session_id: SESSION, rule: 'Bash(ls:*)' },
  ],
  'PUT /api/me/instructions': [{ instructions: 'Answer briefly.' }],
  'POST /api/agents': [
    { name: 'reviewer', system: 'Be brief.', limits: { max_turns: 3 }, metadata: { a: 'b' } },
  ],
  'POST /api/agents/:id': [{ if_version: 1, description: null, metadata: { a: null } }],
  'POST /api/keys': [
    { name: 'page', scopes: ['read', 'write'], owner: 'fuzz', budget_usd: 1 },
    { name: 'app', scopes: ['tokens'], expires_at: '2099-01-01T00:00:00Z' },
  ],
  'PATCH /api/keys/:key': [{ name: 'b', scopes: ['read'], requests_per_minute: 3 }],
  'POST /api/keys/:key/rotate': [{ grace_minutes: 5 }],
  'POST /api/tokens': [
    { owner: 'alice', sessions: [SESSION], scopes: ['read'], minutes: 5, origins: ['https://a.example'] },
    { owner: 'bob', sessions: 'new' },
  ],
  'POST /api/tokens/revoke': [{ token_id: 'tok_1' }, { owner: 'alice' }],
  'POST /api/tickets': [{ session: SESSION, path: `/api/sessions/${SESSION}/events` }],
  'POST /api/workspaces/trust': [{ path: '/srv/project' }],
  'POST /api/tools/:name/try': [{ input: { a: 1 }, workspace: 'sub', wait_ms: 0 }],
  'PUT /api/providers/:provider/key': [{ key: 'sk-1234', base_url: 'http://127.0.0.1:1/v1' }],
  'POST /api/mcp/callback': [{ url: 'http://127.0.0.1/api/mcp/callback?code=a&state=b' }],
  'POST /mcp': [
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'Echo', arguments: { text: 'x' } } },
  ],
  'POST /v4/response': [
    { input: 'echo', stream: true, tools: [TOOL], include: ['agents'] },
    { thread_id: SESSION, tool_outputs: [{ call_id: 'c1', output: 'x' }] },
  ],
  'POST /v4/prepare': [{ input: 'echo', thread_id: SESSION }],
  'POST /v1/chat/completions': [
    { model: 'demo', messages: ASKED, stream: true, tools: [{ type: 'function', function: { name: 'f' } }] },
  ],
  'POST /v1/messages': [{ model: 'demo', max_tokens: 9, messages: ASKED, tools: [TOOL], stream: true }],
  'POST /v1/messages/count_tokens': [{ model: 'demo', messages: ASKED, tools: [TOOL] }],
  'POST /v1/responses': [
    { model: 'demo', input: 'echo', stream: true, tools: [{ type: 'function', name: 'f', parameters: {} }] },
    { model: 'demo', input: [{ type: 'function_call_output', call_id: 'c1', output: 'x' }], store: false },
    { input: 'echo', previous_response_id: `resp_${SESSION}_3` },
    { input: [{ type: 'reasoning', encrypted_content: 'tw1.x.y' }, { type: 'compaction_trigger' }] },
  ],
  'POST /v1/responses/input_tokens': [{ model: 'demo', input: 'echo', tools: [{ type: 'shell' }] }],
  'POST /v1/responses/compact': [{ model: 'demo', input: 'echo' }],
  'POST /v1/conversations': [{ items: [{ role: 'user', content: 'x' }], metadata: { a: 'b' } }],
  'POST /v1/conversations/:id': [{ metadata: { a: 'b' } }],
  'POST /v1/conversations/:id/items': [{ items: [{ role: 'user', content: 'x' }] }],
  ...Object.fromEntries(
    ['/api', '/api/ai/v5', '/api/ai/v6', '/api/ai/v7'].map(base => [`POST ${base}/chat`, PAGES]),
  ),
  ...Object.fromEntries(
    [
      '/ag-ui',
      '/ag-ui/:agent',
      ...['run', 'connect', 'suggest'].map(one => `/copilotkit/agent/:agent/${one}`),
    ].map(path => [`POST ${path}`, RUNS]),
  ),
  'POST /copilotkit': RUNS.map(body => ({ method: 'agent/run', params: { agentId: 'default' }, body })),
}

const NO_RULES: NonNullable<TestConfig['permissions']> = {
  list: async () => [],
  revoke: async () => ({ type: 'unknown' }),
  set: async () => ({ type: 'unknown' }),
  rehearse: async () => ({}),
}

let server: Running
let session: string
/** Of a key with every scope: routes make keys here, after which a request without one is refused. */
let authorization: string

async function newSession(): Promise<string> {
  const response = await fetch(`${server.url}/api/sessions`, { method: 'POST', headers: { authorization } })
  return ((await response.json()) as { id: string }).id
}

beforeAll(async () => {
  const records = createMemoryRecords()
  const limits = { requests_per_minute: null, concurrent: null, budget_usd: null }
  const wanted = { name: 'fuzz', owner: 'fuzz', scopes: [...SCOPES], ...limits }
  const { key } = await createKey(records, { ...wanted, workspace: null, expires_at: null }, new Date())
  authorization = `Bearer ${key}`
  server = await startServer(
    {
      mcp: { status: () => [], finishSignIn: async () => undefined, signOut: async () => false },
      memory: { list: async () => [], read: async () => undefined, remove: async () => false },
      undo: async () => ({ undone: [] }),
      explainPermission: async () => ({ decision: 'ask' }),
      permissions: NO_RULES,
      canTry: true,
    },
    {
      records,
      instruments: createInstruments(),
      webRoot: '/nowhere',
    },
  )
  session = await newSession()
})
afterAll(() => server.close())

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

/** The path of an honest request, with the one session that there is. */
const pathOf = (url: string, hole: string): string =>
  url
    .replace('/sessions/:id', `/sessions/${session}`)
    .replace('/threads/:id', `/threads/${session}`)
    .replace(/:\w+|\*/g, encodeURIComponent(hole))

interface Wounded {
  readonly path: string
  readonly body?: string
  readonly type?: string
  readonly headers?: Record<string, string>
}

/** What is refused is refused in JSON, or, for a page, in HTML; what streams is read, see `readStream`. */
async function ask(operation: Route, { path, body, type, headers }: Wounded): Promise<void> {
  const response = await fetch(server.url + path, {
    method: operation.method,
    headers: {
      authorization,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  })
  const kind = response.headers.get('content-type') ?? ''
  if (kind.startsWith('text/event-stream') && response.status === 200)
    expectFrames(await readStream(response), `${nameOf(operation)} ${path} ${body}`)
  else {
    const text = await response.text()
    expect(response.status, `${nameOf(operation)} ${path} ${body}: ${text}`).not.toBe(500)
    if (response.status >= 400 && kind.startsWith('application/json'))
      expect(JSON.parse(text)).toMatchObject({ error: { message: expect.stringMatching(/\S/) } })
  }
}

/** Nothing here says that much in one answer. */
const MUCH = 2_000_000
/** Silence after which a stream that stays for what comes later has said what there is. */
const QUIET_MS = 150

/** To its end, or, when it is one that stays, to the first silence. */
async function readStream(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let isOver = !reader; !isOver; ) {
    const quiet = new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), QUIET_MS))
    const read = await Promise.race([reader?.read(), quiet])
    text += decoder.decode(read?.value, { stream: true })
    isOver = read === undefined || read.done || text.length > MUCH
  }
  await reader?.cancel()
  return text
}

/** Whole frames, each with JSON in it; none reports a bug. */
function expectFrames(text: string, about: string): void {
  expect(text.length, about).toBeLessThanOrEqual(MUCH)
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 1)
  // By hand: to an expression the other separators that Unicode knows are ends of lines too.
  for (const line of whole.split('\n')) {
    if (!line.startsWith('data: ')) continue
    const data = line.slice('data: '.length)
    if (data !== '[DONE]') JSON.parse(data)
    expect(data, about).not.toContain('"code":"internal"')
  }
}

const withBody = ROUTES.filter(one => one.body !== undefined)
const withQuery = ROUTES.filter(one => one.query !== undefined)
const withHole = ROUTES.filter(one => /[:*]/.test(one.path))

test('every route that takes a body has honest ones here', () => {
  expect(Object.keys(BODIES).toSorted()).toEqual(withBody.map(nameOf).toSorted())
})

describe('a route', () => {
  test.for(withBody.map(one => [nameOf(one), one] as const))(
    '%s takes any body',
    async ([name, operation]) => {
      const samples = JSON.parse(JSON.stringify(BODIES[name]).replaceAll(SESSION, session)) as object[]
      const json = mutatedJson(samples).map(value => ({ body: JSON.stringify(value) ?? 'null' }))
      const raw = fc.record({
        body: mutatedText(samples.map(sample => JSON.stringify(sample))),
        type: fc.oneof(
          { weight: 5, arbitrary: fc.constant('application/json') },
          { weight: 1, arbitrary: fc.constantFrom('application/json; charset=latin1', 'text/plain', 'x') },
        ),
      })
      const kinds = [
        { weight: 30, arbitrary: json },
        { weight: 10, arbitrary: raw },
        { weight: 1, arbitrary: bombed(samples).map(body => ({ body })) },
      ]
      await fc.assert(
        fc.asyncProperty(fc.oneof(...kinds), wounded =>
          ask(operation, { path: pathOf(operation.path, 'x'), ...wounded }),
        ),
        fuzzing(100),
      )
    },
  )

  test.for(withQuery.map(one => [nameOf(one), one] as const))('%s takes any query', async ([, operation]) => {
    const names = Object.keys(operation.query?.shape ?? {})
    const honest = [
      '1',
      'chat',
      'canonical',
      'omit',
      '0',
      session,
      `${session}.1.0`,
      'true',
      'idle',
      'ui://a/b',
    ]
    // Unchanged too: most damage ends at the check of its own field.
    const values = fc.oneof(fc.constantFrom(...honest), mutatedText(honest))
    const pairs = fc.array(fc.tuple(fc.constantFrom(...names, '__proto__', 'x[]'), values), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(pairs, query =>
        ask(operation, { path: `${pathOf(operation.path, 'x')}?${encoded(query)}` }),
      ),
      fuzzing(100),
    )
  })

  test.for(withHole.map(one => [nameOf(one), one] as const))(
    '%s takes any name in its path',
    async ([, operation]) => {
      // Some wounds leave a name as it was, and the session is needed still.
      const id = operation.method === 'DELETE' ? SESSION : session
      const holes = mutatedText([id, `apr_${id}.x1`, 'call_1', 'demo', 'user/a.md'])
      const url = operation.path.replaceAll(/:\w+|\*/g, '*')
      await fc.assert(
        fc.asyncProperty(holes, fc.boolean(), (hole, isRaw) => {
          const path = isRaw ? rawPath(hole) : encodeURIComponent(hole.toWellFormed())
          return ask(operation, { path: url.replaceAll('*', path) })
        }),
        fuzzing(100),
      )
    },
  )

  test('takes any cursor and any key that a header names', async () => {
    const operation = ROUTES.find(one => nameOf(one) === 'GET /api/sessions/:id/events')
    if (!operation) throw new Error('the route of events is gone')
    const header = mutatedText([`${session}.1.0`, '1', 'key']).map(text =>
      text.replaceAll(/[^\x20-\x7e]/g, ''),
    )
    await fc.assert(
      fc.asyncProperty(header, header, (cursor, key) =>
        ask(operation, {
          path: pathOf(operation.path, 'x'),
          headers: { 'last-event-id': cursor, 'idempotency-key': key, accept: cursor },
        }),
      ),
      fuzzing(200),
    )
  })
})

test('the server serves afterwards', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  const body = { session_id: await newSession(), message: 'echo' }
  expect(await (await server.chat(body, { authorization })).text()).toContain('"type":"done"')
})

const encoded = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(pair => pair.map(text => encodeURIComponent(text.toWellFormed())).join('=')).join('&')

/** As much of it as an address can hold without being encoded. */
const rawPath = (text: string): string => text.replaceAll(/[^\x21-\x7e]|[?#]/g, '')
