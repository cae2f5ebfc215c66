/** What a key may do, for how long, how often and for how much. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf, listKeys, revokeKey } from '../../src/access/api-key.ts'
import { listAudit } from '../../src/access/audit.ts'
import { addSpending } from '../../src/access/spending.ts'
import { type Running, startServer } from '../start-server.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
beforeEach(async () => {
  server = await startKeyServer()
})
afterEach(() => server.close())

const idOf = (key: string): string => keyIdOf(key) ?? ''

describe('a key', () => {
  it('opens the server, as Bearer and as x-api-key, and nothing else does', async () => {
    const key = await server.newKey({})
    expect((await server.as(key, 'GET', '/api/sessions')).status).toBe(200)
    expect((await server.json('GET', '/api/sessions', undefined, { 'x-api-key': key })).status).toBe(200)
    const altered = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const wrong of [altered, `tw_000000000000_${key.slice(-32)}`, 'tw_x', 'anything'])
      expect((await server.as(wrong, 'GET', '/api/sessions')).body.error.code).toBe('unauthorized')
    expect((await server.json('GET', '/api/sessions')).status).toBe(401)
  })

  it('is kept only as a digest', async () => {
    const key = await server.newKey({})
    const stored = JSON.stringify(await server.records.list('api_key'))
    expect(stored).toContain(idOf(key))
    expect(stored).not.toContain(key.slice(-32))
  })

  it('that expired is refused', async () => {
    const key = await server.newKey({ expires_at: new Date(Date.now() - 1).toISOString() })
    expect((await server.as(key, 'GET', '/api/sessions')).status).toBe(401)
  })

  it('that is revoked is refused, and revoking the last one does not open the server', async () => {
    const key = await server.newKey({})
    for (const { id } of await listKeys(server.records)) await revokeKey(server.records, id, new Date())
    expect((await server.as(key, 'GET', '/api/sessions')).status).toBe(401)
    expect((await server.json('GET', '/api/sessions')).status).toBe(401)
    // Nor does the next start, which finds revoked keys alone.
    const next = await startServer({}, { records: server.records })
    expect((await next.json('GET', '/api/sessions')).status).toBe(401)
    await next.close()
  })

  it('without a scope learns which one it lacks', async () => {
    const reader = await server.newKey({ scopes: ['read'] })
    const refused = await server.as(reader, 'POST', '/api/sessions', {})
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    expect(refused.body.error.message).toContain('"write"')
    expect((await server.as(reader, 'GET', '/api/audit')).status).toBe(403)
    expect((await server.as(reader, 'GET', '/v1/models')).status).toBe(403)
    expect((await server.as(reader, 'GET', '/api/sessions')).status).toBe(200)
  })

  it('without the scope to approve can neither decide nor choose a mode that decides in advance', async () => {
    const writer = await server.newKey({ scopes: ['read', 'write'] })
    const session = (await server.as(writer, 'POST', '/api/sessions', {})).body.id
    const asked = await server.chat(
      { session_id: session, message: 'ask' },
      { authorization: `Bearer ${writer}` },
    )
    await asked.text()
    const [item] = (await server.as(writer, 'GET', '/api/pending')).body.pending
    const decision = { decision: 'approved' }
    expect((await server.as(writer, 'POST', `/api/approvals/${item.id}`, decision)).status).toBe(403)
    const answers = { session_id: session, approvals: [{ approval_id: item.id, decision: 'approved' }] }
    expect((await server.as(writer, 'POST', '/api/chat/stream', answers)).status).toBe(403)
    const mode = { permission_mode: 'bypassPermissions' }
    expect((await server.as(writer, 'PATCH', `/api/sessions/${session}`, mode)).status).toBe(403)
    expect((await server.as(writer, 'POST', '/api/sessions', mode)).status).toBe(403)
    expect((await server.as(writer, 'GET', '/api/pending')).body.pending).toHaveLength(1)
  })

  it('with a workspace cannot leave it', async () => {
    const key = await server.newKey({ workspace: '/srv/alpha' })
    const at = async (workspace?: string) =>
      await server.as(key, 'POST', '/api/sessions', workspace === undefined ? {} : { workspace })
    expect((await at()).body.workspace_path ?? (await at()).body.workspace).toBe('/srv/alpha')
    expect((await at('sub')).status).toBe(201)
    for (const outside of ['/srv', '/srv/alphabet', '../beta', '/'])
      expect((await at(outside)).body.error.code).toBe('forbidden')
  })
})

describe('limits of a key', () => {
  it('hold for requests a minute, and say when to come again', async () => {
    const key = await server.newKey({ requests_per_minute: 2 })
    const headers = { authorization: `Bearer ${key}` }
    const statuses = []
    for (let i = 0; i < 3; i++)
      statuses.push((await server.json('GET', '/api/sessions', undefined, headers)).status)
    expect(statuses).toEqual([200, 200, 429])
    const refused = await fetch(`${server.url}/v1/models`, { headers })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(((await refused.json()) as { error: { type: string } }).error.type).toBe('rate_limit_error')
  })

  it('hold for requests at once, and free their place when a stream ends', async () => {
    const key = await server.newKey({ concurrent: 1 })
    const headers = { authorization: `Bearer ${key}` }
    const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
    const abort = new AbortController()
    const stream = await fetch(`${server.url}/api/sessions/${session}/events?follow=1`, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: abort.signal,
    })
    expect(stream.status).toBe(200)
    expect((await server.as(key, 'GET', '/api/sessions')).status).toBe(429)
    abort.abort()
    await expect
      .poll(async () => (await server.as(key, 'GET', '/api/sessions')).status, { timeout: 60_000 })
      .toBe(200)
  })

  it('hold for money: a used-up budget refuses new work on every wire and lets one look', async () => {
    const key = await server.newKey({ budget_usd: 1 })
    const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
    await addSpending(server.records, idOf(key), { usd: 1, input_tokens: 10, output_tokens: 1 })
    const chat = { session_id: session, message: 'echo' }
    const refused = await server.as(key, 'POST', '/api/chat/stream', chat)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'quota_exceeded' } } })
    const messages = [{ role: 'user', content: 'echo' }]
    const openai = await server.as(key, 'POST', '/v1/chat/completions', { model: 'demo', messages })
    expect(openai).toMatchObject({ status: 429, body: { error: { code: 'insufficient_quota' } } })
    const thread = await server.as(key, 'POST', '/v4/response', { input: 'echo' })
    expect(thread.status).toBe(429)
    expect((await server.as(key, 'GET', `/api/sessions/${session}`)).status).toBe(200)
    expect((await server.as(key, 'GET', '/api/me')).body).toMatchObject({ spent: { usd: 1 } })
  })
})

describe('the audit trail', () => {
  it('names the deciding key, and shows each owner its own entries', async () => {
    const key = await server.newKey({ scopes: ['admin'] })
    const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
    await (
      await server.chat({ session_id: session, message: 'ask' }, { authorization: `Bearer ${key}` })
    ).text()
    const [item] = (await server.as(key, 'GET', '/api/pending')).body.pending
    await server.as(key, 'POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    await server.as(key, 'POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    await server.as(key, 'PATCH', `/api/sessions/${session}`, { permission_mode: 'plan' })
    const { entries } = (await server.as(key, 'GET', '/api/audit')).body
    expect(entries).toMatchObject([
      {
        action: 'approval.approved',
        by: idOf(key),
        session_id: session,
        details: { approval_id: item.id },
      },
      { action: 'permission_mode.changed', details: { permission_mode: 'plan' } },
    ])
    const other = await server.newKey({ owner: 'beta', scopes: ['admin'] })
    expect((await server.as(other, 'GET', '/api/audit')).body.entries).toEqual([])
    expect(await listAudit(server.records, undefined, 100)).toHaveLength(2)
  })
})

describe('the audit trail of global settings', () => {
  it('lists sign-ins and sign-outs at MCP servers, deleted notes and chosen modes, and nothing that failed', async () => {
    const files = new Set(['project/a.md'])
    const own = await startKeyServer({
      mcp: {
        status: () => [],
        finishSignIn: async query => (query.get('state') === 'mine' ? 'desk' : undefined),
        signOut: async name => name === 'desk',
      },
      memory: {
        list: async () => [],
        read: async () => undefined,
        remove: async path => files.delete(path),
      },
    })
    try {
      const key = await own.newKey({ scopes: ['admin'] })
      const callback = 'http://127.0.0.1/api/mcp/callback?code=secret-code&state='
      for (const state of ['mine', 'other'])
        await own.as(key, 'POST', '/api/mcp/callback', { url: callback + state })
      await fetch(`${own.url}/api/mcp/callback?code=secret-code&state=mine`)
      for (const name of ['desk', 'nowhere']) await own.as(key, 'DELETE', `/api/mcp/${name}/sign-in`)
      for (const path of ['project/a.md', 'project/a.md']) await own.as(key, 'DELETE', `/api/memory/${path}`)
      const chosen = (await own.as(key, 'POST', '/api/sessions', { permission_mode: 'plan' })).body.id
      await own.as(key, 'POST', '/api/sessions', { permission_mode: 'default' })
      const trail = await listAudit(own.records, undefined, 100)
      const by = idOf(key)
      expect(trail).toEqual([
        expect.objectContaining({ action: 'mcp.signed_in', by, details: { server: 'desk' } }),
        // A browser brings no key: the state of a sign-in that was begun here is what let it in.
        expect.objectContaining({ action: 'mcp.signed_in', by: 'anybody', details: { server: 'desk' } }),
        expect.objectContaining({ action: 'mcp.signed_out', by, details: { server: 'desk' } }),
        expect.objectContaining({ action: 'memory.deleted', by, details: { path: 'project/a.md' } }),
        expect.objectContaining({
          action: 'permission_mode.chosen',
          by,
          session_id: chosen,
          details: { permission_mode: 'plan' },
        }),
      ])
      expect(JSON.stringify(trail)).not.toContain('secret-code')
    } finally {
      await own.close()
    }
  })
})

describe('a server without keys', () => {
  let open: Running | undefined
  afterEach(() => open?.close())

  it('asks for none, until the first one is made', async () => {
    const records = createMemoryRecords()
    open = await startServer({}, { records })
    expect((await open.json('GET', '/api/sessions')).status).toBe(200)
    await server.newKey({})
    for (const { id, value } of await server.records.list('api_key')) await records.put('api_key', id, value)
    const { json } = open
    await expect.poll(async () => (await json('GET', '/api/sessions')).status, { timeout: 60_000 }).toBe(401)
  })
})
