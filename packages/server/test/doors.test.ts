/** One server behind its three doors: the same bytes through each, and what each does with its host. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mountAt, serveByFetch } from './door.ts'
import { type HostServer, hostServer } from './host-server.ts'
import { type Running, startServer } from './start-server.ts'

const BASE = '/mounted'
let running: Running
let hosts: readonly HostServer[]
/** Origins of the listener, of the host that mounts `node`, and of the one that calls `handler`. */
let doors: readonly string[]
beforeEach(async () => {
  running = await startServer({ basePath: BASE, bodyLimit: 1000, stallMs: 600_000 })
  const { server } = running
  hosts = await Promise.all([
    hostServer(mountAt(BASE, server.node)),
    hostServer(serveByFetch(server.handler)),
  ])
  const listener =
    server.address() ?? (await server.listen({ host: '127.0.0.1', port: 0 })).slice(0, -BASE.length)
  doors = [listener, ...hosts.map(host => host.url)]
})
afterEach(async () => {
  for (const host of hosts) await host.close()
  await running.close()
})

const ask = async (path: string, init: RequestInit = {}) => {
  const headers = { 'x-request-id': 'one', ...init.headers }
  const answers = doors.map(async door => {
    const response = await fetch(door + BASE + path, { ...init, headers })
    // Node's own listener and each host add these.
    const {
      date: _,
      connection: __,
      'keep-alive': ___,
      'transfer-encoding': ____,
      ...sent
    } = Object.fromEntries(response.headers)
    return { status: response.status, headers: sent, text: await response.text() }
  })
  return await Promise.all(answers)
}
const chatted = async (): Promise<string> => {
  const id = await running.newSession()
  running.model.open()
  await (await running.chat({ session_id: id, message: 'hello' })).text()
  await running.settled()
  return id
}
const json = (body: string, more: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...more },
  body,
})

describe('all three doors', () => {
  it('send the same status, headers and bytes', async () => {
    const id = await chatted()
    const paths = [
      '/api/sessions',
      `/api/sessions/${id}`,
      `/api/sessions/${id}/events?follow=false`,
      `/api/sessions/${id}/events?follow=false&after=3`,
      `/api/chat/stream?session_id=${id}`,
      `/api/sessions/${id}/export`,
      '/openapi.json',
      '/api/tools',
      '/unknown',
      '/api/sessions/none',
      '/api//sessions',
      '/api/%2e%2e/sessions',
      '/api/sessions/%ff',
    ]
    for (const path of paths) {
      const [first, ...others] = await ask(path)
      expect(first?.text, path).not.toBe('')
      for (const other of others) expect(other, path).toEqual(first)
    }
    const [document] = await ask('/openapi.json')
    expect(JSON.parse(document?.text ?? '').servers).toEqual([{ url: BASE }])
  })

  it('refuse the same requests', async () => {
    const cases: readonly (readonly [RequestInit, number])[] = [
      [json('{"title":'), 400],
      [json(`{"title":"${'x'.repeat(2000)}"}`), 413],
      [json('{}', { 'content-type': 'text/plain' }), 415],
      [json('{}', { 'content-encoding': 'gzip' }), 415],
      [json('{}', { origin: 'https://elsewhere.example' }), 403],
      [{ method: 'PUT' }, 405],
    ]
    for (const [init, status] of cases) {
      const [first, ...others] = await ask('/api/sessions', init)
      expect(first?.status).toBe(status)
      for (const other of others) expect([other.status, other.text]).toEqual([status, first?.text])
    }
    const [refused] = await ask('/api/sessions', { method: 'PUT' })
    expect(refused?.headers['allow']).toBe('GET, HEAD, POST')
  })
})

describe('a host that mounts node', () => {
  it('gets paths outside of the base path back, and 404 where it cannot take them', async () => {
    const { server } = running
    const host = await hostServer((request, response) =>
      server.node(request, response, () => response.writeHead(200).end('the host')),
    )
    try {
      for (const path of ['/', '/mountedx/api/sessions', '//mounted/api/sessions', '/%6dounted/api/sessions'])
        expect(await (await fetch(host.url + path)).text(), path).toBe('the host')
      expect((await fetch(`${host.url}${BASE}/api/sessions`)).status).toBe(200)
    } finally {
      await host.close()
    }
    expect((await fetch(`${doors[0]}/api/sessions`)).status).toBe(404)
  })
})

describe('a host that speaks fetch', () => {
  const call = (path: string, init: RequestInit = {}) =>
    running.server.handler(new Request(`http://localhost${path}`, init))
  const events = async (init: RequestInit = {}) => {
    const id = await running.newSession()
    return await call(`/api/sessions/${id}/events?follow=true`, init)
  }
  const streams = () => running.server.context.streams.size()

  it('may strip the base path or leave it', async () => {
    expect((await call('/api/sessions')).status).toBe(200)
    expect((await call(`${BASE}/api/sessions`)).status).toBe(200)
  })

  it('ends a stream by cancelling the body, or by the signal of its request', async () => {
    const cancelled = await events()
    await expect.poll(streams).toBe(1)
    await cancelled.body?.cancel()
    await expect.poll(streams).toBe(0)
    const leaving = new AbortController()
    const aborted = await events({ signal: leaving.signal })
    const read = aborted.text()
    await expect.poll(streams).toBe(1)
    leaving.abort()
    // A host would print an error of a client that has left.
    expect(await read).toContain('retry: 1000')
    await expect.poll(streams).toBe(0)
  })

  it('ends a stream by reading no more, where it reports nothing', async () => {
    const impatient = await startServer({ basePath: BASE, heartbeatMs: 20, stallMs: 60 })
    try {
      const { handler } = impatient.server
      const url = `http://localhost/api/sessions/${await impatient.newSession()}/events?follow=true`
      const { body } = await handler(new Request(url))
      await expect.poll(() => impatient.server.context.streams.size()).toBe(0)
      await expect(new Response(body).text()).rejects.toThrow()
    } finally {
      await impatient.close()
    }
  })

  it('never gets more than it has asked for', async () => {
    const id = await chatted()
    const response = await call(`/api/sessions/${id}/events?follow=false`)
    const reader = response.body?.getReader()
    const chunks: number[] = []
    for (let one = await reader?.read(); one?.value; one = await reader?.read()) chunks.push(one.value.length)
    expect(Math.max(...chunks)).toBeLessThanOrEqual(16 * 1024)
  })

  it('learns that a body was read before', async () => {
    const request = new Request('http://localhost/api/sessions', json('{}'))
    await request.text()
    const response = await running.server.handler(request)
    expect([response.status, (await response.json()).error.message]).toEqual([
      400,
      expect.stringContaining('read before'),
    ])
  })

  it('is stopped at the limit of a body whose length it did not say truly', async () => {
    const body = new ReadableStream({
      pull: controller => controller.enqueue(new TextEncoder().encode(' '.repeat(300))),
    })
    const headers = { 'content-type': 'application/json', 'content-length': '10' }
    const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
    expect((await call('/api/sessions', init)).status).toBe(413)
  })
})
