/** Rejections of `/mcp`: foreign pages and keys, batches, giant and deep bodies. Errors are JSON-RPC errors. */
import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { connectClient, type McpServerUnderTest, serveMcp } from './serve-mcp.ts'

let server: McpServerUnderTest | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start() {
  server = await serveMcp()
  const running = server
  const key = await running.newKey({ scopes: ['mcp'] })
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${running.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    })
  return { running, key, post }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const nested = (depth: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`

describe('a body', () => {
  it('that is a batch is refused, also with a session', async () => {
    const { post } = await start()
    const opened = await post(JSON.stringify(INITIALIZE))
    const session = opened.headers.get('mcp-session-id') ?? ''
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    for (const headers of [{}, { 'mcp-session-id': session }] as Record<string, string>[]) {
      const response = await post(JSON.stringify([ping, ping]), headers)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    }
  })

  it.each([
    ['nested deeper than 512 levels', nested(600), 400, -32600],
    [
      'larger than 10 MiB',
      JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(10 * 1024 * 1024) }),
      413,
      -32600,
    ],
    ['that is no JSON', '{', 400, -32700],
    ['that is empty', '', 400, -32700],
    ['that is no message', '"text"', 400, undefined],
  ])('%s is refused', async (_, body, status, code) => {
    const { post } = await start()
    const response = await post(body)
    expect(response.status).toBe(status)
    const error = (await response.json()) as { readonly error: { readonly code: number } }
    expect(error).toMatchObject({ jsonrpc: '2.0', id: null })
    if (code !== undefined) expect(error.error.code).toBe(code)
  })

  it('of 500 levels is read', async () => {
    const { post } = await start()
    const response = await post(nested(500))
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('mcp-session-id') },
    })
  })
})

describe('a request', () => {
  it.each([
    ['with the name of another host', { host: 'evil.example' }, 'bad_host'],
    ['of a foreign page', { origin: 'https://evil.example' }, 'bad_origin'],
  ])('%s is refused', async (_, headers, code) => {
    const { running, key } = await start()
    // fetch does not send another Host.
    const { status, body } = await new Promise<{ status: number | undefined; body: string }>(
      (resolve, reject) => {
        const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
        const sent = request(`${running.url}/mcp`, { method: 'POST', headers: all }, response => {
          let text = ''
          response.on('data', chunk => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode, body: text }))
        })
        sent.on('error', reject)
        sent.end(JSON.stringify(INITIALIZE))
      },
    )
    expect(status).toBe(403)
    expect(JSON.parse(body)).toMatchObject({ error: { data: { code } } })
  })

  it.each([['read', 'write', 'approve', 'gateway'] as const, [] as const])(
    'without the scope mcp is refused (%s %s)',
    async (...scopes) => {
      const { running } = await start()
      const key = scopes.length > 0 ? await running.newKey({ scopes: [...scopes] }) : 'unknown-key'
      const { status, body } = await running.as(key, 'POST', '/mcp', INITIALIZE)
      expect(status).toBe(scopes.length > 0 ? 403 : 401)
      expect(body).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    },
  )
})

describe('a session of the older era', () => {
  it('exists for the key alone that opened it, and until it is deleted', async () => {
    const { running, post } = await start()
    const opened = await post(JSON.stringify(INITIALIZE))
    const session = opened.headers.get('mcp-session-id') ?? ''
    expect(session).not.toBe('')
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
    const own = { 'mcp-session-id': session }
    expect((await post(ping, own)).status).toBe(200)
    const sameOwner = await running.newKey({ scopes: ['mcp'] })
    const foreign = await post(ping, { ...own, authorization: `Bearer ${sameOwner}` })
    expect(foreign.status).toBe(404)
    const end = await fetch(`${running.url}/mcp`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${await running.newKey({ scopes: ['mcp'] })}`, ...own },
    })
    expect(end.status).toBe(404)
  })

  it('is closed when it was idle longest and a key opens too many', async () => {
    const { post } = await start()
    const open = async () => (await post(JSON.stringify(INITIALIZE))).headers.get('mcp-session-id') ?? ''
    const first = await open()
    const second = await open()
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await (await post(ping, { 'mcp-session-id': first })).text()
    for (let i = 0; i < 99; i++) await open()
    expect((await post(ping, { 'mcp-session-id': second })).status).toBe(404)
    expect((await post(ping, { 'mcp-session-id': first })).status).toBe(200)
  })
})

it('a client that closes its stream in the newer era cancels its call, unless it was detached', async () => {
  const { running, key } = await start()
  const client = await connectClient(running, key, { era: 'modern' })
  const states: string[] = []
  for (const detach of [false, true]) {
    const leave = new AbortController()
    const waiting = client.callTool(
      { name: 'Slow', arguments: {}, ...(detach ? { _meta: { 'toolwire/detach': true } } : {}) },
      { signal: leave.signal },
    )
    await running.started()
    leave.abort()
    await expect(waiting).rejects.toThrow()
    if (detach) {
      // Answered after the server has seen the connection end, or about then.
      await client.listTools()
      running.release()
    }
    states.push(await running.slowEnd())
  }
  expect(states).toEqual(['stopped', 'finished'])
  await client.close()
})
