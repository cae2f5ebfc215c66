import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { DOOR } from './door.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

interface Sent {
  readonly status: number
  readonly code: string | undefined
  readonly headers: Record<string, unknown>
}

/** fetch sets Host and Origin itself; this does not. */
function send(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  path = '/api/sessions',
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => {
        const code = text === '' ? undefined : JSON.parse(text).error?.code
        resolve({ status: response.statusCode ?? 0, code, headers: response.headers })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

const KEY = 'key-0123456789'

describe('the address', () => {
  it('is loopback by default', async () => {
    running = await startServer()
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  })

  it('that others can reach is refused without API keys', async () => {
    await expect(startServer({ host: '0.0.0.0' })).rejects.toThrow(/API keys/)
    await expect(startServer({ host: '0.0.0.0', apiKeys: ['short'] })).rejects.toThrow(/8 characters/)
    running = await startServer({ host: '0.0.0.0', apiKeys: [KEY] })
    const local = running.url.replace(/\/\/[^:]+/, '//127.0.0.1')
    expect((await send(local, { authorization: `Bearer ${KEY}` })).status).toBe(200)
  })
})

describe('the Host header', () => {
  it('must name this machine, so that a rebound name is refused', async () => {
    running = await startServer({ allowedHosts: ['tools.example'] })
    for (const host of [
      'localhost',
      'localhost:9',
      '127.0.0.1',
      '[::1]:80',
      'tools.example',
      'TOOLS.example:1',
    ])
      expect([host, (await send(running.url, { host })).status]).toEqual([host, 200])
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', 'a@localhost'])
      expect([host, (await send(running.url, { host })).code]).toEqual([host, 'bad_host'])
  })
})

describe('the Origin header', () => {
  it('must be this server or a configured one', async () => {
    running = await startServer({ allowedOrigins: ['https://app.example'] })
    const { host } = new URL(running.url)
    expect((await send(running.url, { host, origin: `http://${host}` })).status).toBe(200)
    for (const origin of [
      'https://evil.example',
      'null',
      `http://${host}.evil.example`,
      'http://localhost:1',
    ])
      expect([origin, (await send(running.url, { host, origin })).code]).toEqual([origin, 'bad_origin'])
    const cross = await send(running.url, { origin: 'https://app.example' })
    expect(cross.headers['access-control-allow-origin']).toBe('https://app.example')
  })

  it('gets no CORS headers unless configured, and a preflight only then', async () => {
    running = await startServer()
    const { host } = new URL(running.url)
    const same = await send(running.url, { host, origin: `http://${host}` })
    expect(same.headers['access-control-allow-origin']).toBeUndefined()
    await running.close()
    running = await startServer({ allowedOrigins: ['https://app.example'], apiKeys: [KEY] })
    const ask = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    const preflight = await send(running.url, ask, 'OPTIONS')
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      'https://app.example',
    ])
    expect((await send(running.url, { ...ask, origin: 'https://evil.example' }, 'OPTIONS')).code).toBe(
      'bad_origin',
    )
  })
})

describe('API keys', () => {
  it('are needed everywhere but for health checks, in either header', async () => {
    running = await startServer({ apiKeys: [KEY, 'another-key-1'] })
    expect((await send(running.url, {})).code).toBe('unauthorized')
    const wrong: Record<string, string>[] = [
      { authorization: 'Bearer nope' },
      { authorization: `Basic ${KEY}` },
      { 'x-api-key': `${KEY}x` },
    ]
    for (const headers of wrong) expect((await send(running.url, headers)).status).toBe(401)
    expect((await send(running.url, { authorization: `Bearer ${KEY}` })).status).toBe(200)
    expect((await send(running.url, { 'x-api-key': 'another-key-1' })).status).toBe(200)
    for (const path of ['/health', '/healthz', '/readyz'])
      expect((await send(running.url, {}, 'GET', path)).status).toBe(200)
    expect((await send(running.url, {}, 'GET', '/nope')).code).toBe('unauthorized')
  })

  it('never reach the log, nor do query strings', async () => {
    running = await startServer({ apiKeys: [KEY] })
    await send(
      running.url,
      { authorization: `Bearer ${KEY}`, cookie: 'session=of-nobody' },
      'GET',
      `/api/sessions?text=${KEY}`,
    )
    await send(running.url, { 'x-api-key': `${KEY}-wrong` })
    const log = running.logged.join('\n')
    expect(log).toContain('/api/sessions')
    expect(log).not.toContain(KEY)
    expect(log).not.toContain('of-nobody')
  })
})

describe('answers', () => {
  it('are kept by no cache and taken for nothing else than they are', async () => {
    running = await startServer()
    const { headers } = await send(running.url, {})
    expect([headers['cache-control'], headers['x-content-type-options']]).toEqual(['no-store', 'nosniff'])
  })
})

// They never get beyond the listener.
describe.runIf(DOOR === 'listen')('requests that are not HTTP', () => {
  const raw = (url: string, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
      let answer = ''
      socket.on('data', chunk => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })

  it('get an answer of the common shape and are cut off', async () => {
    running = await startServer()
    expect(await raw(running.url, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]+"code":"bad_request"/)
    const large = `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`
    expect(await raw(running.url, large)).toMatch(/^HTTP\/1\.1 431 /)
    expect((await running.json('GET', '/health')).status).toBe(200)
  })
})

describe('limits', () => {
  it('refuse one stream too many and free its place afterwards', async () => {
    running = await startServer({ maxStreams: 1 })
    const session_id = await running.newSession()
    const path = `${running.url}/api/sessions/${session_id}/events?follow=true`
    const first = await fetch(path)
    const second = await fetch(path)
    expect([second.status, (await second.json()).error.code]).toEqual([429, 'too_many_requests'])
    expect((await running.chat({ session_id, message: 'echo' })).status).toBe(429)
    await first.body?.cancel()
    const { streams } = running.server.context
    await new Promise<void>(resolve => {
      const look = setInterval(() => {
        if (streams.size() > 0) return
        clearInterval(look)
        resolve()
      }, 5)
    })
    const third = await fetch(path)
    expect(third.status).toBe(200)
    await third.body?.cancel()
  })
})
