/** Real exchanges, with every route's own words, against the document that the same server gives. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { AppError } from '@toolwire/core'
import { createMemoryRecords } from '@toolwire/store'
import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type {} from '../../src/index.ts'
import { startGateway } from '../gateway/gateway-server.ts'
import type { TestConfig } from '../split-config.ts'
import { type Running, startServer } from '../start-server.ts'
import { type Watched, watch } from './watched-fetch.ts'

let folder: string
let running: Running
let watched: Watched

const rule = { id: 'r1', rule: 'Bash(ls:*)', decision: 'allow', source: 'project', revocable: true } as const

const acme = { provider: 'acme', name: 'Acme', variable: 'ACME_API_KEY' }
const refusal = { code: 'model_auth', message: 'No.', retryable: false, http_status: 401 }

const config = (): TestConfig => ({
  canTry: false,
  listTools: () => [{ name: 'Danger', description: 'Needs an approval', input_schema: { type: 'object' } }],
  listModels: () => ['demo', 'other/model'],
  describeModel: id => (id === 'demo' ? { context: 1000, max_output: 100 } : {}),
  artifactFile: (_session, call) => join(folder, call),
  permissions: {
    list: async () => [rule],
    revoke: async (_session, id) => (id === 'r1' ? { type: 'revoked', rule } : { type: 'unknown' }),
    set: async (_session, _wish, replaces) =>
      replaces === undefined || replaces === 'r1' ? { type: 'set', rule, notes: [] } : { type: 'unknown' },
    rehearse: async ({ rule: text, decision = 'allow', calls }) => ({
      rule: text,
      decision,
      tools: ['Bash'],
      calls: calls.length,
      changed: 0,
      allowed: [],
      writes: 0,
    }),
  },
  explainPermission: async ({ tool }) => ({
    tool,
    decision: 'ask',
    reason: 'It may write.',
    mode: 'default',
  }),
  undo: async (_session, { dryRun }) => ({
    dry_run: dryRun,
    files: [{ path: '/a', action: 'restored', call_ids: ['c'], diff: '' }],
  }),
  files: {
    list: async ({ path }) => ({
      path,
      entries: [{ name: 'a.txt', kind: 'file', bytes: 1, denied: 'A rule denies it.' }],
      next: null,
      truncated: false,
    }),
    find: async ({ path }) => join(folder, path),
  },
  memory: {
    list: async () => [{ path: 'user/a.md', bytes: 1, updated_at: '2026-01-01T00:00:00Z' }],
    read: async path => (path === 'user/a.md' ? 'a' : undefined),
    remove: async path => path === 'user/a.md',
  },
  mcp: {
    status: () => [{ name: 'desk', state: 'needs_auth', tools: 0, authorization_url: 'https://a.example' }],
    finishSignIn: async query => (query.get('state') === 'known' ? 'desk' : undefined),
    signOut: async name => name === 'desk',
  },
  providers: {
    list: () => [{ ...acme, set: false, stored: false }],
    put: async (_provider, { base_url = '' }) => ({
      ...acme,
      set: true,
      source: 'settings',
      last4: 'abcd',
      base_url,
      stored: true,
    }),
    remove: async () => ({ ...acme, set: false, stored: false }),
    test: async () => (tested++ === 0 ? { ok: true, models: 3 } : { ok: false, error: refusal }),
  },
})
let tested = 0

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-openapi-'))
  running = await startServer(config(), { records: createMemoryRecords() })
  watched = await watch(running.url)
})
afterEach(async () => {
  await running.close()
  rmSync(folder, { recursive: true, force: true })
})

const seen = (id: string): readonly string[] =>
  [...watched.contract.seen].filter(one => one.startsWith(`${id} `)).map(one => one.slice(id.length + 1))

test('sessions: made, listed, changed, copied, read and deleted as described', async () => {
  const { call } = watched
  const { id } = await call('POST', '/api/sessions', { title: 'One', metadata: { a: 1 }, tools: ['Danger'] })
  await call('POST', '/api/sessions', { title: '' })
  await call('POST', '/api/chat/stream', { session_id: id, message: 'echo hello', max_turns: 3 })
  await call('GET', '/api/sessions?limit=5&status=idle')
  await call('GET', '/api/sessions?limit=0')
  await call('GET', `/api/sessions/${id}`)
  await call('GET', '/api/sessions/none')
  await call('PATCH', `/api/sessions/${id}`, { title: 'Two' })
  await call('PATCH', `/api/sessions/${id}`, {})
  for (const wire of ['canonical', 'chat', 'thread', 'openai-chat', 'anthropic-messages'])
    await call('GET', `/api/sessions/${id}/events?wire=${wire}`)
  await call('GET', `/api/sessions/${id}/messages`)
  await call('GET', `/api/sessions/${id}/export`)
  await call('POST', `/api/sessions/${id}/fork`, { at: 1 })
  const { branch_id } = await call('POST', `/api/sessions/${id}/regenerate`)
  await call('POST', `/api/sessions/${id}/regenerate`, { effects: 'ask' })
  await call('POST', `/api/sessions/${id}/messages/none/edit`, { content: 'echo again' })
  await call('GET', `/api/sessions/${id}/branches`)
  await call('POST', `/api/sessions/${id}/branches/${branch_id}/select`)
  await call('POST', `/api/sessions/${id}/branches/none/select`)
  await call('POST', `/api/sessions/${id}/cancel`)
  await call('POST', `/api/sessions/${id}/undo`, { session: true, dry_run: true })
  await call('POST', `/api/sessions/${id}/undo`, {})
  writeFileSync(join(folder, 'c1'), 'the whole output')
  await call('GET', `/api/sessions/${id}/artifacts/c1`)
  await call('GET', `/api/sessions/${id}/artifacts/c1`, undefined, { range: 'bytes=0-3' })
  await call('GET', `/api/sessions/${id}/artifacts/none`)
  await call('GET', `/api/sessions/${id}/changes`)
  await call('GET', `/api/sessions/${id}/files?path=src`)
  await call('GET', `/api/sessions/${id}/files/content?path=c1`)
  await call('GET', `/api/sessions/${id}/files/content?path=none`)
  await call('DELETE', `/api/sessions/${id}`)
  await call('GET', `/api/sessions/${id}`)
  expect(watched.problems).toEqual([])
  expect(seen('getSession')).toEqual(['200', '404', '410'])
  expect(seen('getArtifact')).toEqual(['200', '206', '404'])
})

test('a conversation: messages, tools of the client, approvals, and reading on', async () => {
  const { call } = watched
  const { id } = await call('POST', '/api/sessions')
  const tools = [{ name: 'pick', input_schema: { type: 'object' } }]
  const parts = [{ type: 'text', text: 'client' }]
  await call('POST', '/api/chat/stream', { session_id: id, message: parts, tools })
  await call('GET', '/api/sessions?inputs=short')
  await call('GET', '/api/pending?inputs=short')
  const { pending } = await call('GET', '/api/pending')
  const [first, second] = pending
  await call('POST', `/api/sessions/${id}/tool_outputs`, {
    tool_outputs: [{ tool_use_id: first.call_id, output: { any: 'thing' } }],
  })
  await call('POST', '/api/chat/stream', {
    session_id: id,
    tool_outputs: [{ tool_use_id: second.call_id, output: 'two', is_error: false }],
  })
  await call('POST', '/api/chat/stream', { session_id: id, message: 'ask' })
  const [approval] = (await call('GET', `/api/sessions/${id}`)).pending
  await call('POST', `/api/approvals/${approval.id}`, { decision: 'approved', reason: 'fine' })
  await running.settled()
  await call('POST', `/api/approvals/${approval.id}`, { decision: 'denied' })
  await call('POST', '/api/approvals/none', { decision: 'denied' })
  await call('POST', '/api/chat/stream', { session_id: id, message: 'fail' })
  await call('POST', '/api/chat/stream', { session_id: id })
  await call('GET', `/api/chat/stream?session_id=${id}`)
  await call('POST', `/api/sessions/${id}/calls/${first.call_id}/cancel`)
  await call('POST', `/api/sessions/${id}/calls/none/cancel`)
  await call('GET', `/api/sessions/${id}/messages`)
  await call('GET', `/api/sessions/${id}/export`)
  expect(watched.problems).toEqual([])
  expect(seen('answerApproval')).toEqual(['200', '404'])
})

test('tools, permissions, MCP servers, memory and the server itself', async () => {
  const { call } = watched
  const { id } = await call('POST', '/api/sessions')
  await call('GET', '/api/tools')
  await call('POST', '/api/tools/Danger/try', { input: {} })
  await call('GET', `/api/permissions?session_id=${id}`)
  const wish = { rule: 'Bash(ls:*)', decision: 'allow', scope: 'project' }
  await call('POST', '/api/permissions', wish)
  await call('POST', '/api/permissions', { ...wish, scope: 'session' })
  await call('PUT', '/api/permissions/r1', wish)
  await call('PUT', '/api/permissions/r9', wish)
  await call('DELETE', '/api/permissions/r1')
  await call('DELETE', '/api/permissions/r2')
  await call('POST', '/api/permissions/explain', { tool: 'Bash', input: { command: 'ls' } })
  await call('POST', '/api/permissions/explain', { rule: 'Bash(ls:*)', session_id: id })
  await call('GET', '/api/mcp')
  await call('GET', '/api/mcp/callback?state=known')
  await call('GET', '/api/mcp/callback?state=other')
  await call('POST', '/api/mcp/callback', { url: 'http://127.0.0.1/api/mcp/callback?state=known' })
  await call('POST', '/api/mcp/callback', { url: 'http://127.0.0.1/api/mcp/callback' })
  await call('DELETE', '/api/mcp/desk/sign-in')
  await call('DELETE', '/api/mcp/other/sign-in')
  await call('GET', '/api/memory')
  await call('GET', '/api/memory/user/a.md')
  await call('GET', '/api/memory/user/b.md')
  await call('DELETE', '/api/memory/user/a.md')
  for (const path of [
    '/health',
    '/healthz',
    '/readyz',
    '/api/models',
    '/api/settings',
    '/api/storage',
    '/api/doctor',
    '/api/me',
    '/api/audit',
  ])
    await call('GET', path)
  await call('GET', '/openapi.json')
  await call('GET', '/reference')
  await call('GET', '/api/audit?limit=none')
  expect(watched.problems).toEqual([])
  expect(watched.contract.seen.size).toBe(34)
})

test('keys of providers: seen, set, tested, removed and refused', async () => {
  const { call } = watched
  await call('GET', '/api/providers')
  await call('PUT', '/api/providers/acme/key', { key: 'sk-1234', base_url: 'https://llm.example' })
  await call('PUT', '/api/providers/acme/key', { key: '' })
  await call('PUT', '/api/providers/other/key', { key: 'sk-1234' })
  for (let n = 0; n < 11; n++) await call('POST', '/api/providers/acme/test')
  await call('DELETE', '/api/providers/acme/key')
  expect(watched.problems).toEqual([])
  expect(seen('setProviderKey')).toEqual(['200', '400', '404'])
  expect(seen('testProvider')).toEqual(['200', '429'])
})

test('the thread protocol, whole and streamed', async () => {
  const { call } = watched
  const { thread_id } = await call('POST', '/v4/response', { input: 'echo hello', stream: false })
  await call('POST', '/v4/response', {
    thread_id,
    input: [{ role: 'user', content: 'client' }],
    tools: [{ type: 'function', function: { name: 'pick', parameters: {} } }],
    stream: true,
  })
  const { pending_tools } = await call('GET', `/v4/threads/${thread_id}`)
  await call('POST', '/v4/response', {
    thread_id,
    tool_outputs: pending_tools.map((one: { call_id: string }) => ({ call_id: one.call_id, output: '{}' })),
  })
  await call('POST', '/v4/response', { thread_id, input: 'fail' })
  await call('POST', '/v4/response', { thread_id: 12 })
  const { run_token } = await call('POST', '/v4/prepare', { thread_id, input: 'echo later' })
  await call('GET', `/v4/response/${run_token}`)
  await call('GET', `/v4/response/${run_token}`)
  await call('GET', '/v4/response/none')
  await call('GET', '/v4/response?input=hello')
  await call('GET', `/v4/threads/${thread_id}/events?include=tool.input.delta`)
  await call('GET', '/v4/threads/77')
  expect(watched.problems).toEqual([])
  expect(seen('readPreparedRun')).toEqual(['200', '204', '404'])
})

test('the vendor wires, through the vendors’ own clients', async () => {
  const checkModel = (id: string): void => {
    if (id === 'none') throw new AppError('unknown_model')
  }
  const gateway = await startGateway({ config: { checkModel } })
  try {
    const { fetch, problems, contract, call } = await watch(gateway.url)
    const openai = new OpenAI({ apiKey: 'x', baseURL: `${gateway.url}/v1`, fetch, maxRetries: 0 })
    const anthropic = new Anthropic({ apiKey: 'x', baseURL: gateway.url, fetch, maxRetries: 0 })
    const said = { model: 'demo', messages: [{ role: 'user' as const, content: 'hello' }] }
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    await openai.chat.completions.create({
      ...said,
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    })
    for await (const _ of await openai.chat.completions.create({ ...said, stream: true }));
    await anthropic.messages.create({ ...said, max_tokens: 100 })
    await anthropic.messages.stream({ ...said, max_tokens: 100 }).finalMessage()
    await anthropic.messages.countTokens(said)
    await openai.models.list()
    await anthropic.models.list()
    await call('GET', '/v1/models/none')
    await call('POST', '/v1/chat/completions', { messages: [] })
    await call('POST', '/v1/messages', { messages: 'hello' })
    expect(problems).toEqual([])
    expect([...contract.seen]).toEqual([
      'createChatCompletion 200',
      'createMessage 200',
      'countTokens 200',
      'listVendorModels 200',
      'getVendorModel 404',
      'createChatCompletion 400',
      'createMessage 400',
    ])
  } finally {
    await gateway.close()
  }
})

test('what the document does not say is found: a wrong body, a field, a status', () => {
  const base = { method: 'GET', path: '/healthz', sent: undefined, status: 200, type: 'application/json' }
  const { check } = watched.contract
  expect(check({ ...base, text: '{"status":"ok","version":"1"}' })).toEqual([])
  expect(check({ ...base, text: '{"status":"ok"}' })).not.toEqual([])
  expect(check({ ...base, text: '{"status":"ok","version":"1","more":1}' })).toEqual([
    'healthz 200: #/more is not described',
  ])
  expect(check({ ...base, status: 418, text: '' })).toEqual(['healthz 418: the status is not described'])
  const chat = { ...base, method: 'POST', path: '/api/chat/stream', type: '', text: '' }
  expect(check({ ...chat, sent: { session_id: 1 } })).not.toEqual([])
})
