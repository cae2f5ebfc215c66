/** One key, or all keys of one owner, cannot take every stream of a server. */
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveSettings } from '../../src/settings.ts'
import { hostServer } from '../host-server.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
afterEach(() => server.close())

const follow = (key: string, session: string) =>
  fetch(`${server.url}/api/sessions/${session}/events?follow=true`, {
    headers: { authorization: `Bearer ${key}` },
  })
const newSession = async (key: string): Promise<string> =>
  (await server.as(key, 'POST', '/api/sessions', {})).body.id

describe('open streams', () => {
  it('of one key are limited by default, and leave room for others', async () => {
    server = await startKeyServer({ maxStreams: 10 })
    const [mine, other] = [await server.newKey({}), await server.newKey({ owner: 'beta' })]
    const [session, theirs] = [await newSession(mine), await newSession(other)]
    const open = [await follow(mine, session), await follow(mine, session)]
    const refused = await follow(mine, session)
    expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'too_many_requests'])
    expect(refused.headers.get('retry-after')).toBe('1')
    const allowed = await follow(other, theirs)
    expect(allowed.status).toBe(200)
    await open[0]?.body?.cancel()
    await expect
      .poll(
        async () => {
          const again = await follow(mine, session)
          await again.body?.cancel()
          return again.status
        },
        { timeout: 100_000 },
      )
      .toBe(200)
  })

  it('are refused beyond the share on every wire, before anything is started', async () => {
    server = await startKeyServer({ maxStreams: 5 })
    const mine = await server.newKey({})
    const session = await newSession(mine)
    const prepared = (await server.as(mine, 'POST', '/v4/prepare', { input: 'echo' })).body
    // A response that nothing holds is collected, and its stream ends.
    const held = await follow(mine, session)
    const messages = [{ role: 'user', content: 'echo' }]
    const before = (await server.store.list({ limit: 100 })).items.length
    const refused = await Promise.all([
      server.as(mine, 'POST', '/api/chat/stream', { session_id: session, message: 'echo' }),
      server.as(mine, 'POST', '/v4/response', { input: 'echo', stream: true }),
      server.as(mine, 'GET', '/v4/response?input=echo'),
      server.json('GET', `/v4/response/${prepared.run_token}`),
      server.as(mine, 'POST', '/v1/chat/completions', { model: 'demo', messages, stream: true }),
      server.as(mine, 'POST', '/v1/messages', { model: 'demo', max_tokens: 5, messages, stream: true }),
      server.as(mine, 'POST', '/v1/responses', { model: 'demo', input: 'echo', stream: true }),
    ])
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429))
    expect(refused.map(({ body }) => body.error.type ?? body.error.code)).toEqual([
      'too_many_requests',
      'RATE_LIMITED',
      'RATE_LIMITED',
      'RATE_LIMITED',
      'rate_limit_error',
      'rate_limit_error',
      'rate_limit_error',
    ])
    expect((await server.store.list({ limit: 100 })).items.length).toBe(before)
    expect(server.model.calls()).toBe(0)
    await held.body?.cancel()
  })

  it('of all keys of one owner together are limited too', async () => {
    server = await startKeyServer({ maxStreams: 10 })
    const keys = await Promise.all([1, 2, 3].map(() => server.newKey({})))
    const session = await newSession(keys[0] ?? '')
    const statuses: number[] = []
    for (const key of keys) for (const _ of [1, 2]) statuses.push((await follow(key, session)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const other = await server.newKey({ owner: 'beta' })
    expect((await follow(other, await newSession(other))).status).toBe(200)
  })

  it('by run tokens are those of the key that made them', async () => {
    server = await startKeyServer({ maxStreams: 10 })
    const [mine, second] = [await server.newKey({}), await server.newKey({})]
    const read = async (key: string) => {
      const { run_token } = (await server.as(key, 'POST', '/v4/prepare', { input: 'gate' })).body
      return (await fetch(`${server.url}/v4/response/${run_token}`)).status
    }
    expect([await read(mine), await read(mine), await read(mine), await read(second)]).toEqual([
      200, 200, 429, 200,
    ])
  })

  it('may be as many as the requests at once that a key was granted', async () => {
    server = await startKeyServer({ maxStreams: 10 })
    const granted = await server.newKey({ concurrent: 4 })
    const session = await newSession(granted)
    const statuses: number[] = []
    for (const _ of [1, 2, 3, 4, 5]) statuses.push((await follow(granted, session)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429])
  })

  it('are shared out by the settings, or by a fifth and a half of all', async () => {
    server = await startKeyServer({ maxStreams: 10, maxStreamsPerKey: 1, maxStreamsPerOwner: 1 })
    expect(resolveSettings({})).toMatchObject({ maxStreamsPerKey: 1000, maxStreamsPerOwner: 2500 })
    expect(resolveSettings({ maxStreams: 1 })).toMatchObject({ maxStreamsPerKey: 1, maxStreamsPerOwner: 1 })
    const mine = await server.newKey({})
    const session = await newSession(mine)
    expect([(await follow(mine, session)).status, (await follow(mine, session)).status]).toEqual([200, 429])
  })
})

describe('a client that leaves before its key was looked up', () => {
  it('takes no place for good', async () => {
    server = await startKeyServer()
    const key = await server.newKey({ concurrent: 1 })
    let release: () => void = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let asked: () => void = () => {}
    const lookedUp = new Promise<void>(resolve => {
      asked = resolve
    })
    const get = server.records.get.bind(server.records)
    Object.assign(server.records, {
      async get(kind: string, id: string) {
        asked()
        await held
        return await get(kind, id)
      },
    })
    const host = await hostServer(server.server.node)
    const { hostname, port } = new URL(host.url)
    const closed = new Promise<void>(resolve => {
      host.http.once('connection', (socket: Socket) => socket.once('close', () => resolve()))
    })
    const socket = connect(Number(port), hostname)
    socket.write(`GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    await lookedUp
    socket.destroy()
    await closed
    release()
    await expect
      .poll(async () => (await server.as(key, 'GET', '/api/sessions')).status, { timeout: 100_000 })
      .toBe(200)
    await host.close()
  })
})
