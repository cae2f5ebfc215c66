/** Questions of MCP servers as pauses that every wire shows and answers; signing in over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Model, type ModelPart, unfenceText } from '@toolwire/core'
import { createMcpTools, type McpTools } from '@toolwire/mcp'
import { createToolSystem } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closeServers, serveModern, serveSessions } from '../../mcp/test/http-servers.ts'
import { type Running, startServer } from './start-server.ts'

let dir = ''
let running: Running | undefined
let mcp: McpTools | undefined
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-mcp-http-'))
})
afterEach(async () => {
  await running?.close()
  running = undefined
  await mcp?.close()
  mcp = undefined
  await closeServers()
  rmSync(dir, { recursive: true, force: true })
})

const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }

/** Calls the tool that the message names; a result is repeated. */
const model: Model = {
  provider: 'scripted',
  id: 'demo',
  async *stream({ messages }): AsyncIterable<ModelPart> {
    yield { type: 'start', provider_message_id: '', model: 'demo' }
    const last = messages.at(-1)
    const said =
      last?.role === 'user' ? last.content.map(part => (part.type === 'text' ? part.text : '')).join('') : ''
    if (last?.role === 'user') {
      yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: '', name: `mcp__desk__${said}` } }
      yield { type: 'block-delta', index: 0, input_text: '{}' }
      yield { type: 'block-end', index: 0 }
      yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
      return
    }
    const text =
      last?.role === 'tool' ? last.results.map(result => unfenceText(result.output_text)).join() : ''
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: `got ${text}` }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  },
}

async function begin(serve: typeof serveModern | typeof serveSessions, message: string) {
  const notes: string[] = []
  const { url } = await serve({ note: line => notes.push(line) })
  const tools = createMcpTools({ servers: { desk: { type: 'http', url, headers: {} } } })
  mcp = tools
  await new Promise<void>(resolve => {
    const end = tools.subscribe(() => {
      if (tools.status()[0]?.state !== 'ready') return
      end()
      resolve()
    })
  })
  const system = createToolSystem({ tools: tools.tools, artifacts: join(dir, 'artifacts') })
  const config = { workspace: dir, toolNames: ['*'], permissionMode: 'bypassPermissions' }
  const server = await startServer(config, { tools: system, model })
  running = server
  const id = await server.newSession()
  const shown = await (await server.chat({ session_id: id, message })).text()
  await server.settled()
  const pending = async () => (await server.json('GET', `/api/sessions/${id}`)).body.pending
  const last = async () => {
    await server.settled()
    const events = await server.store.read(id, 0, 1000)
    return events.flatMap(({ ev }) => (ev.type === 'run.completed' ? [ev.result_text] : [])).at(-1)
  }
  return { ...server, id, shown, notes, pending, last }
}

const ERAS = [
  ['newer', serveModern],
  ['older', serveSessions],
] as const

describe.each(ERAS)('a question of an MCP server of the %s era', (_, serve) => {
  test('pauses the session, and every list shows the question', async () => {
    const { json, pending, id, shown } = await begin(serve, 'book')
    const question = { kind: 'question', name: 'mcp__desk__book', message: 'Who comes?' }
    expect(await pending()).toMatchObject([{ ...question, schema: { required: ['name'] } }])
    expect((await json('GET', `/api/sessions/${id}`)).body.status).toBe('paused')
    expect((await json('GET', '/api/pending')).body.pending).toMatchObject([{ session_id: id, ...question }])
    expect(shown).toContain('"type":"tool_approval_request"')
    expect(shown).toContain('"schema":{"type":"object"')
  })

  test('refuses an answer that does not fit, and records nothing of it', async () => {
    const { json, pending } = await begin(serve, 'book')
    const [{ id }] = await pending()
    const bad = await json('POST', `/api/approvals/${id}`, { answer: { name: 'x', guests: 'many' } })
    expect(bad.status).toBe(400)
    expect(bad.body.error.details.problems.join()).toContain('guests')
    expect(await pending()).toHaveLength(1)
  })

  test('continues with the first answer that fits; a later one gets a notice', async () => {
    const { json, pending, last, settled, notes } = await begin(serve, 'book')
    const [{ id }] = await pending()
    const first = await json('POST', `/api/approvals/${id}`, { answer: { name: 'Ada' } })
    expect(first.body).toMatchObject({ decision: 'approved', first: true })
    await settled()
    const second = await json('POST', `/api/approvals/${id}`, { answer: { name: 'Bob' } })
    expect(second.body).toMatchObject({ decision: 'approved', first: false })
    const [next] = await pending()
    expect(next.message).toBe('Are you sure?')
    await json('POST', `/api/approvals/${next.id}`, { answer: { sure: true } })
    expect(await last()).toContain('"name":"Ada"')
    expect(notes.filter(line => line.startsWith('booked'))).toHaveLength(1)
  })

  test('is declined by a denial and put away by a cancel', async () => {
    const { json, pending, last, chat, id } = await begin(serve, 'book')
    await json('POST', `/api/approvals/${(await pending())[0].id}`, { decision: 'denied' })
    expect(await last()).toBe('got no guest: decline')
    await (await chat({ session_id: id, message: 'book' })).text()
    await json('POST', `/api/approvals/${(await pending())[0].id}`, { decision: 'cancel' })
    expect(await last()).toBe('got no guest: cancel')
  })

  test('is shown and answered on the thread wire', async () => {
    const { json, id, last } = await begin(serve, 'book')
    const thread = (await json('GET', `/v4/threads/${id}`)).body
    const [{ call_id }] = thread.pending_questions ?? thread.pending_approvals
    const answer = (output: object) =>
      json('POST', '/v4/response', {
        thread_id: thread.thread_id,
        tool_outputs: [{ call_id, output: JSON.stringify(output) }],
        stream: false,
      })
    const paused = await answer({ name: 'Ada' })
    expect(JSON.stringify(paused.body)).toContain('user_input_required')
    expect(JSON.stringify(paused.body)).toContain('Are you sure?')
    await answer({ sure: false })
    expect(await last()).toContain('"sure":{"sure":false}')
  })
})

test('a server that gives up waiting gets its call, and the session continues by itself', async () => {
  const { store, id, last } = await begin(serveSessions, 'impatient')
  while ((await last()) === undefined) await new Promise(resolve => setTimeout(resolve, 20))
  expect(await last()).toBe('got nobody said anything')
  const types = (await store.read(id, 0, 1000)).map(({ ev }) => ev.type)
  expect(types.filter(type => type === 'tool.completed')).toHaveLength(1)
})

test('a server that waits hears of a session that was cancelled', async () => {
  const { json, id, notes, settled } = await begin(serveSessions, 'ask')
  await json('POST', `/api/sessions/${id}/cancel`, {})
  await settled()
  while (!notes.includes('ask cancelled')) await new Promise(resolve => setTimeout(resolve, 20))
  expect((await json('GET', `/api/sessions/${id}`)).body.status).not.toBe('paused')
})

describe('the routes of MCP servers', () => {
  const port = {
    status: () => [{ name: 'vault', state: 'needs_auth', authorization_url: 'https://as.example/authorize' }],
    async finishSignIn(query: URLSearchParams) {
      if (query.get('error')) throw new Error('Refused.')
      return query.get('state') === 'good' ? 'vault' : undefined
    },
    signOut: async (server: string) => server === 'vault',
  }
  const KEY = 'k'.repeat(40)
  const auth = { authorization: `Bearer ${KEY}` }

  test('show the state of servers, with permission', async () => {
    running = await startServer({ mcp: port, apiKeys: [KEY] })
    expect((await running.json('GET', '/api/mcp')).status).toBe(401)
    const { body } = await running.json('GET', '/api/mcp', undefined, auth)
    expect(body.servers).toMatchObject([{ name: 'vault', state: 'needs_auth' }])
  })

  test('take a browser back without a key, and only with the secret of its sign-in', async () => {
    running = await startServer({ mcp: port, apiKeys: [KEY] })
    const visit = async (query: string) => await fetch(`${running?.url}/api/mcp/callback?${query}`)
    const good = await visit('code=c&state=good')
    expect(good.status).toBe(200)
    expect(await good.text()).toContain('signed in')
    expect((await visit('code=c&state=bad')).status).toBe(400)
    expect((await visit('error=access_denied&state=good')).status).toBe(400)
    const { headers } = await visit('state=%3Cscript%3E')
    expect([headers.get('content-security-policy'), headers.get('referrer-policy')]).toEqual([
      "default-src 'none'; frame-ancestors 'none'",
      'no-referrer',
    ])
  })

  test('take a pasted address, and forget a sign-in', async () => {
    running = await startServer({ mcp: port })
    const { json } = running
    const pasted = { url: 'http://localhost:1/api/mcp/callback?code=c&state=good' }
    expect((await json('POST', '/api/mcp/callback', pasted)).body).toEqual({ server: 'vault' })
    expect((await json('POST', '/api/mcp/callback', { url: 'no' })).status).toBe(400)
    expect((await json('DELETE', '/api/mcp/vault/sign-in')).status).toBe(200)
    expect((await json('DELETE', '/api/mcp/other/sign-in')).status).toBe(404)
  })
})
