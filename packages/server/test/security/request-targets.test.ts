/** Requests whose target or Host this server and a proxy in front of it could read in different ways. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Running, startServer } from '../start-server.ts'
import { rawRequest } from './raw-request.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

const open = async (): Promise<string> => {
  running = await startServer()
  return running.url
}
const get = (url: string, target: string, hosts: readonly string[] = ['localhost']) =>
  rawRequest(url, [`GET ${target} HTTP/1.1`, ...hosts.map(host => `Host: ${host}`)])

describe('a request target', () => {
  it.each(['*', '*api/sessions', '*/api/sessions', 'ftp://localhost/api/sessions', 'urn:api/sessions'])(
    'that is no path reaches no route: %s',
    async target => {
      const { status, text } = await get(await open(), target)
      expect([status, text.includes('"code":"bad_request"')]).toEqual([400, true])
    },
  )

  it.each([
    '//api/sessions',
    '/api//sessions',
    '/api/./sessions',
    '/api/../api/sessions',
    '/api/%2e%2e/api/sessions',
    '/api%2fsessions',
    '/api%5csessions',
    '/api\\sessions',
    '/api/sessions%00',
    '/api/sessions;a=b',
    '/API/SESSIONS',
    'http://localhost//api/sessions',
  ])('is taken as it is written, so that %s is not the route /api/sessions', async target => {
    expect((await get(await open(), target)).status).toBe(404)
  })

  it('with an address is the path in it, at the host of the address', async () => {
    const url = await open()
    expect((await get(url, 'http://localhost/api/sessions')).text).toContain('"sessions":[]')
    // This server has no page.
    expect((await get(url, 'HTTP://localhost?a')).status).toBe(405)
    for (const authority of ['evil.example', 'localhost@evil.example', 'evil.example:80', ''])
      expect((await get(url, `http://${authority}/api/sessions`)).text).toContain('"code":"bad_host"')
    // The other way round the header does not count.
    expect((await get(url, 'http://localhost/api/sessions', ['evil.example'])).status).toBe(200)
  })

  it('that is not a path has its error in the common shape on every method', async () => {
    const url = await open()
    for (const method of ['OPTIONS', 'TRACE', 'POST', 'PROPFIND']) {
      const { status, text } = await rawRequest(url, [`${method} *api/sessions HTTP/1.1`, 'Host: localhost'])
      expect([method, status]).toEqual([method, 400])
      expect(text).toContain('"request_id":')
    }
  })
})

describe('the Host', () => {
  it.each([
    ['localhost', 'evil.example'],
    ['evil.example', 'localhost'],
    ['localhost', 'localhost'],
  ])('that is named twice fits no host: %s, %s', async (...hosts) => {
    const { status, text } = await get(await open(), '/api/sessions', hosts)
    expect([status, text.includes('"code":"bad_host"')]).toEqual([403, true])
  })
})

describe('headers that rename a request', () => {
  it('change neither its method nor its path', async () => {
    const url = await open()
    const names = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']
    const head = [
      'GET /api/sessions HTTP/1.1',
      'Host: localhost',
      'X-Original-URL: /nope',
      'X-Rewrite-URL: /nope',
    ]
    const { status } = await rawRequest(url, [...head, ...names.map(name => `${name}: DELETE`)])
    expect(status).toBe(200)
  })
})
