/** Keys of model providers: who may set them, what is shown of them, and what is not. */
import { afterEach, describe, expect, test } from 'vitest'
import type { ProviderEntry, ProviderPort, ProviderStatus } from '../src/index.ts'
import { type KeyServer, startKeyServer } from './access/key-server.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

const KEY = 'sk-the-key-of-a-provider-9876'
const PATH = '/api/providers/acme/key'
const REJECTED = { ok: false, error: { code: 'model_auth', message: 'no', retryable: false } } as const

/** A port that remembers what it was asked. */
function createPort() {
  const calls: (readonly [string, ProviderEntry, boolean])[] = []
  let tests = 0
  let stored = false
  const status = (): ProviderStatus => ({
    provider: 'acme',
    name: 'Acme',
    variable: 'ACME_API_KEY',
    set: stored,
    stored,
  })
  const port: ProviderPort = {
    list: () => [status()],
    async put(provider, entry, { isLocal, isTested }) {
      calls.push([provider, entry, isLocal])
      if (isTested && entry.key === 'wrong') return { ...status(), test: REJECTED }
      stored = true
      return { ...status(), ...(isTested ? { test: { ok: true, models: 3 } as const } : {}) }
    },
    async remove() {
      stored = false
      return status()
    },
    async test() {
      tests += 1
      return { ok: true, models: tests }
    },
  }
  return { port, calls, tests: () => tests }
}

test('a server that keeps no keys has none to see or to set', async () => {
  running = await startServer()
  for (const [method, path] of [
    ['GET', '/api/providers'],
    ['PUT', PATH],
    ['DELETE', PATH],
    ['POST', '/api/providers/acme/test'],
  ] as const)
    expect((await running.json(method, path, method === 'PUT' ? { key: KEY } : undefined)).status).toBe(404)
})

test('a user of a server without keys sets one, and it is in the audit trail without a letter of it', async () => {
  const { port, calls } = createPort()
  const server = await startKeyServer({ providers: port })
  running = server
  const admin = await server.newKey({ scopes: ['admin'] })
  expect((await server.as(admin, 'PUT', PATH, { key: `  ${KEY} ` })).status).toBe(200)
  expect((await server.as(admin, 'DELETE', PATH)).body).toMatchObject({ set: false })
  // Nothing was left to remove.
  expect((await server.as(admin, 'DELETE', PATH)).status).toBe(200)
  const { entries } = (await server.as(admin, 'GET', '/api/audit')).body
  expect(
    entries.map(({ action, details }: { action: string; details: object }) => [action, details]),
  ).toEqual([
    ['provider_key.set', { provider: 'acme' }],
    ['provider_key.removed', { provider: 'acme' }],
  ])
  expect(JSON.stringify(entries)).not.toContain(KEY.slice(-8))
  await server.close()
  const open = await startServer({ providers: port, shared: false })
  running = open
  await open.json('PUT', PATH, { key: KEY, base_url: 'http://127.0.0.1:1' })
  // A key holder may be anywhere; a caller without one is at the machine.
  expect(calls).toEqual([
    ['acme', { key: KEY }, false],
    ['acme', { key: KEY, base_url: 'http://127.0.0.1:1' }, true],
  ])
  expect((await open.json('GET', '/api/providers')).body).toMatchObject({ shared: false })
})

test('stores a key that passes its test, and reports a rejected one without an audit entry', async () => {
  const { port } = createPort()
  const server = await startKeyServer({ providers: port })
  running = server
  const admin = await server.newKey({ scopes: ['admin'] })
  const put = (key: string) => server.as(admin, 'PUT', PATH, { key, test: true })
  expect((await put('wrong')).body).toMatchObject({ stored: false, test: REJECTED })
  expect((await server.as(admin, 'GET', '/api/audit')).body.entries).toEqual([])
  expect((await put(KEY)).body).toMatchObject({ stored: true, test: { ok: true, models: 3 } })
  expect((await server.as(admin, 'GET', '/api/audit')).body.entries).toHaveLength(1)
})

test.each([['read', 'write', 'approve', 'gateway', 'metrics']])(
  'a key with every scope but admin neither sees nor changes anything',
  async (...scopes) => {
    const { port, calls, tests } = createPort()
    const server: KeyServer = await startKeyServer({ providers: port })
    running = server
    const key = await server.newKey({ scopes: scopes as ('read' | 'write')[] })
    for (const [method, path, body] of [
      ['GET', '/api/providers'],
      ['PUT', PATH, { key: KEY }],
      ['DELETE', PATH],
      ['POST', '/api/providers/acme/test'],
    ] as const)
      expect((await server.as(key, method, path, body)).status).toBe(403)
    expect([calls.length, tests()]).toEqual([0, 0])
  },
)

describe('a page of another site', () => {
  test('cannot set, remove or test a key, in any form that a browser would send', async () => {
    const { port, calls, tests } = createPort()
    running = await startServer({ providers: port })
    const { url } = running
    const send = async (method: string, path: string, headers: Record<string, string>) => {
      const body = method === 'PUT' ? JSON.stringify({ key: KEY }) : null
      const response = await fetch(url + path, { method, headers, body })
      return response.status
    }
    const origin = 'https://evil.example'
    expect(await send('PUT', PATH, { origin, 'content-type': 'application/json' })).toBe(403)
    expect(await send('PUT', PATH, { 'content-type': 'text/plain' })).toBe(415)
    expect(await send('DELETE', PATH, { origin })).toBe(403)
    expect(await send('POST', '/api/providers/acme/test', { origin })).toBe(403)
    expect(await send('GET', '/api/providers', { origin })).toBe(403)
    expect([calls.length, tests()]).toEqual([0, 0])
  })
})

test('a body that cannot be a key is refused, without repeating it', async () => {
  const { port, calls } = createPort()
  running = await startServer({ providers: port })
  for (const body of [
    {},
    { key: '' },
    { key: `${KEY} ${KEY}` },
    { key: `${KEY}\r\nx-evil: 1` },
    { key: `${KEY}ü` },
    { key: KEY.repeat(20) },
    { key: [KEY] },
    { key: KEY, base_url: '' },
    { key: KEY, other: 1 },
    `{"key":"${KEY}"`,
  ]) {
    const answer = await running.json('PUT', PATH, body)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).not.toContain(KEY.slice(-8))
  }
  expect((await running.json('PUT', '/api/providers/nobody/key', { key: KEY })).status).toBe(404)
  expect(calls).toEqual([])
  expect(running.logged.join('\n')).not.toContain(KEY.slice(-8))
})

test('keys are tested ten times a minute and no more, and the error says when to retry', async () => {
  const { port, tests } = createPort()
  running = await startServer({ providers: port })
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) statuses.push((await running.json('POST', '/api/providers/acme/test')).status)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200))
  expect(statuses.at(-1)).toBe(429)
  expect(tests()).toBe(statuses.filter(status => status === 200).length)
  const refused = await running.json('POST', '/api/providers/acme/test')
  expect(refused.body.error).toMatchObject({ code: 'too_many_requests', retryable: true })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('the default model is the one of the moment, on every way to make a session', async () => {
  let model = 'first'
  running = await startServer({ currentModel: () => model, listModels: () => ['demo'] })
  const made = async () => (await running?.json('POST', '/api/sessions'))?.body.model
  expect(await made()).toBe('first')
  model = 'second'
  expect(await made()).toBe('second')
  expect((await running.json('GET', '/api/models')).body.default).toBe('second')
  expect((await running.json('GET', '/api/settings')).body.model).toBe('second')
  const { data } = (await running.json('GET', '/v1/models')).body
  expect(data.map(({ id }: { id: string }) => id)).toContain('second')
  await running.json('POST', '/v4/response', { input: 'echo', stream: false })
  await running.json('POST', '/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'echo' }] })
  const { sessions } = (await running.json('GET', '/api/sessions')).body
  expect(sessions.map((session: { model: string }) => session.model).sort()).toEqual([
    'first',
    'second',
    'second',
    'second',
  ])
})
