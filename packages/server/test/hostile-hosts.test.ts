/** Hosts that have done something before a request arrives, or do it afterwards. */
import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { connect, createServer as createHttp2, type Http2Server } from 'node:http2'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mountAt } from './door.ts'
import { type HostServer, hostServer } from './host-server.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
let host: HostServer | undefined
beforeEach(async () => {
  running = await startServer({ basePath: '/api', bodyLimit: 1000 })
})
afterEach(async () => {
  await host?.close()
  host = undefined
  await running.close()
})

const open = async (before: RequestListener): Promise<string> => {
  host = await hostServer((request, response) => {
    before(request, response)
    mountAt('/api', running.server.node)(request, response)
  })
  return host.url
}
const bodyOf =
  (value: unknown): RequestListener =>
  request =>
    Object.assign(request, { body: value })
const json = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
})
const create = '/api/api/sessions'

describe('a parser in front', () => {
  it('has another limit, and ours applies to its value and its bytes', async () => {
    const large = { title: 'x'.repeat(2000) }
    for (const value of [large, JSON.stringify(large), Buffer.from(JSON.stringify(large))]) {
      const url = await open(bodyOf(value))
      const response = await fetch(url + create, json('{}'))
      expect([response.status, (await response.json()).error.code]).toEqual([413, 'payload_too_large'])
      await host?.close()
    }
  })

  it('may leave an empty object where it has read nothing', async () => {
    const url = await open(bodyOf({}))
    const response = await fetch(url + create, json('{"title":"kept"}', 'application/vnd.app+json'))
    const { id } = await response.json()
    expect((await (await fetch(`${url}${create}/${id}`)).json()).title).toBe('kept')
  })
})

describe('a host that wraps or uses the response', () => {
  /** As `compression` does: the callback of a write is lost, and the result of another stream is returned. */
  const dropCallbacks: RequestListener = (_, response) => {
    const write = response.write.bind(response) as (chunk: unknown) => boolean
    response.write = ((chunk: unknown) => write(chunk)) as ServerResponse['write']
  }

  it('may drop the callbacks of writes', async () => {
    const id = await running.newSession()
    running.model.open()
    await (await running.chat({ session_id: id, message: 'hello' })).text()
    await running.settled()
    const url = await open(dropCallbacks)
    const events = await fetch(`${url}${create}/${id}/events?follow=false`)
    expect(await events.text()).toContain('run.completed')
    const exported = await fetch(`${url}${create}/${id}/export`)
    expect((await exported.text()).length).toBeGreaterThan(100)
  })

  it('may have responded itself', async () => {
    const url = await open((_, response) => response.writeHead(503).write('too late'))
    const response = await fetch(url + create)
    expect(response.status).toBe(503)
    await expect(response.text()).rejects.toThrow()
    expect(running.logged.join()).not.toContain('bug')
  })
})

describe('a fetch host below a base path that is also the first part of the routes', () => {
  const call = async (path: string) =>
    (await running.server.handler(new Request(`http://localhost${path}`))).status

  it('may strip it or leave it', async () => {
    expect(await call('/api/sessions')).toBe(200)
    expect(await call('/api/api/sessions')).toBe(200)
    expect(await call('/api/api/api/sessions')).toBe(404)
    expect(await call('/api/nothing')).toBe(404)
  })
})

describe('requests that fetch has no words for', () => {
  const TARGETS = [
    'TRACE /api/api/sessions HTTP/1.1\r\nHost: localhost\r\n',
    'TRACK /api/api/sessions HTTP/1.1\r\nHost: localhost\r\n',
    'GET http://me:secret@localhost/api/api/sessions HTTP/1.1\r\nHost: localhost\r\n',
    'GET /api/api/sessions HTTP/1.1\r\nHost: me:secret@localhost\r\n',
    'GET http://[/api/api/sessions HTTP/1.1\r\nHost: localhost\r\n',
  ]

  it.each(TARGETS)('%s is no bug of the sign-in', async head => {
    await running.close()
    running = await startServer({ basePath: '/api' }, { authenticate: () => ({ owner: 'alice' }) })
    host = await hostServer((request, response) => running.server.node(request, response))
    const socket = connectTcp((host.http.address() as AddressInfo).port, '127.0.0.1')
    socket.end(`${head}Connection: close\r\n\r\n`)
    const answer = (await socket.setEncoding('utf8').toArray()).join('')
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(running.logged.join()).not.toContain('bug')
  })
})

describe('a host of HTTP/2', () => {
  let http2: Http2Server
  afterEach(() => http2.close())

  it('gets the same responses, with a sign-in and a body', async () => {
    const seen: string[] = []
    await running.close()
    const authenticate = ({ url }: Request) => {
      seen.push(url)
      return { owner: 'alice' }
    }
    running = await startServer({ basePath: '' }, { authenticate })
    http2 = createHttp2((request, response) => running.server.node(request as never, response as never))
    http2.listen(0, '127.0.0.1')
    await once(http2, 'listening')
    const origin = `http://127.0.0.1:${(http2.address() as AddressInfo).port}`
    const session = connect(origin)
    try {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/api/sessions',
        'content-type': 'application/json',
      })
      stream.end('{"title":"by HTTP/2"}')
      const [headers] = await once(stream, 'response')
      const { id } = JSON.parse((await stream.setEncoding('utf8').toArray()).join(''))
      expect(headers[':status']).toBe(201)
      expect(seen).toEqual([`${origin}/api/sessions`])
      const events = session.request({ ':path': `/api/sessions/${id}/events?follow=false` })
      expect((await events.setEncoding('utf8').toArray()).join('')).toContain('session.created')
    } finally {
      session.close()
    }
  })
})
