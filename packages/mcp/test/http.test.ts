import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import { createBoundedFetch } from '../src/bounded-fetch.ts'
import type { McpServerConfig } from '../src/server-config.ts'
import { closeServers, listen, serveModern, serveSessions, serveSse } from './http-servers.ts'
import { closeAll, eventually, isReady, names, stageOf, start, until } from './stage-mcp.ts'

afterEach(async () => {
  await closeAll()
  await closeServers()
})

const at = (url: string, more: Partial<McpServerConfig> = {}): McpServerConfig =>
  ({ type: 'http', url, headers: { 'x-key': 'k' }, ...more }) as McpServerConfig

async function running(url: string, more: Partial<McpServerConfig> = {}) {
  const mcp = start({ test: at(url, more) })
  await until(mcp, isReady(mcp))
  return { mcp, stage: stageOf(mcp) }
}

const KINDS = { modern: serveModern, sessions: serveSessions, sse: serveSse }

describe.each(['modern', 'sessions', 'sse'] as const)('a server over HTTP (%s)', kind => {
  test('is found, listed and called', async () => {
    const { url } = await KINDS[kind]()
    const { mcp, stage } = await running(url)
    expect(mcp.status()).toMatchObject([
      { state: 'ready', era: kind === 'modern' ? 'modern' : 'legacy', tools: 19 },
    ])
    expect(textOf(await stage.one('mcp__test__echo', { text: 'héllo' }))).toBe('héllo')
    expect(textOf(await stage.one('mcp__test__refuse', {}))).toBe('no, thank you')
  })

  test('keeps a call alive by its progress', async () => {
    const { url } = await KINDS[kind]()
    const { stage } = await running(url, { timeout_ms: 1_500 })
    expect(textOf(await stage.one('mcp__test__steps', { count: 8, every_ms: 250 }))).toBe('all steps')
    expect(stage.events('tool.progress').length).toBeGreaterThan(1)
  })

  test('hears of a cancelled call', async () => {
    const notes: string[] = []
    const { url } = await KINDS[kind]({ note: line => void notes.push(line) })
    const { stage } = await running(url)
    const ended = stage.one('mcp__test__hang', {})
    await eventually(() => notes.includes('hang started'))
    stage.cancel()
    expect(codeOf(await ended)).toBe('interrupted')
    await eventually(() => notes.includes('hang cancelled'))
  })
})

describe('a server over HTTP', () => {
  test('of the newer era has no session, and gets the headers of its configuration', async () => {
    const { url, seen } = await serveModern()
    const { stage } = await running(url)
    await stage.one('mcp__test__echo', { text: 'a' })
    expect(seen.every(headers => headers['mcp-session-id'] === undefined && headers['x-key'] === 'k')).toBe(
      true,
    )
  })

  test('of the oldest kind gets the headers too', async () => {
    const { url, headers } = await serveSse()
    await running(url, { type: 'sse' } as Partial<McpServerConfig>)
    expect(headers.length).toBeGreaterThan(1)
    expect(headers.every(one => one['x-key'] === 'k')).toBe(true)
  })

  test('of the newer era is read again when its tools have changed', async () => {
    const { url, grow } = await serveModern()
    const { mcp, stage } = await running(url)
    grow()
    await until(mcp, () => names(mcp).includes('mcp__test__grown'))
    expect(textOf(await stage.one('mcp__test__grown', {}))).toBe('here')
  })

  test('that forgot the session gets a new one, once for all calls, and the calls', async () => {
    const { url, forget, begun } = await serveSessions()
    const { mcp } = await running(url, { trusted: true })
    forget()
    const stage = stageOf(mcp)
    const calls = await stage.run(
      ...['a', 'b', 'c'].map(text => ({ name: 'mcp__test__echo', input: { text } })),
    )
    expect(calls.map(textOf)).toEqual(['a', 'b', 'c'])
    expect(begun()).toBe(2)
  })

  test('that goes away is an error, and is found again when it is back', async () => {
    let up = true
    const { url: real } = await serveModern()
    const url = await listen((request, response) => {
      if (!up) return void request.socket.destroy()
      // The stream of news ends with the server behind it.
      forward(real, request, response).catch(() => response.destroy())
    })
    const { stage, mcp } = await running(url)
    up = false
    const call = await stage.one('mcp__test__echo', { text: 'a' })
    expect(codeOf(call)).toBe('mcp_error')
    expect(textOf(call)).not.toContain('undefined')
    up = true
    await until(mcp, isReady(mcp))
    expect(textOf(await stage.one('mcp__test__echo', { text: 'b' }))).toBe('b')
  })

  test('that asks for a key we do not have says so', async () => {
    const url = await listen((_, response) => void response.writeHead(401).end())
    const mcp = start({ test: at(url) })
    await until(mcp, () => mcp.status()[0]?.error !== undefined)
    expect(mcp.status()[0]?.error).toMatch(/401|auth/i)
    expect(mcp.tools()).toEqual([])
  })

  test('cannot fill the memory with one message, neither as an answer nor in a stream', async () => {
    const url = await listen((request, response) => {
      const type = request.url?.includes('sse') ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { 'content-type': type })
      const more = (): void => {
        while (!response.destroyed && response.write(`data: ${'x'.repeat(10_000)}\n`));
      }
      response.on('drain', more)
      more()
    })
    const bounded = createBoundedFetch(100_000)
    for (const path of ['', '?sse']) {
      const response = await bounded(`${url}${path}`)
      await expect(response.text()).rejects.toThrow('larger than 100000 bytes')
    }
  })

  test('may stream without end, event by event', async () => {
    const url = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let n = 0; n < 100; n++) response.write(`data: ${'x'.repeat(5_000)}\r\n\r\n`)
      response.end()
    })
    expect((await (await createBoundedFetch(10_000)(url)).text()).length).toBeGreaterThan(500_000)
  })
})

async function forward(to: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !/^(host|connection|content-length|transfer-encoding)$/.test(name)
        ? [[name, value]]
        : [],
    ),
  )
  const answer = await fetch(to, {
    method: request.method ?? 'GET',
    headers,
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  for await (const chunk of answer.body ?? []) response.write(chunk)
  response.end()
}
