/** Who may call an embedded server, and as whom. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import {
  AppError,
  type Authenticate,
  createToolwire,
  type Toolwire,
  type ToolwireOptions,
} from '../../src/index.ts'

let toolwire: Toolwire
const logged: string[] = []
afterEach(async () => {
  await toolwire.close()
  logged.length = 0
})
const logger = {
  info() {},
  error: (fields: object, message: string) => void logged.push(message + JSON.stringify(fields)),
}
const start = (options: ToolwireOptions): Toolwire => {
  toolwire = createToolwire({ logger, ...options })
  return toolwire
}
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await toolwire.handler(new Request(`https://app.example.com${path}`, init))
  const body = await response.json()
  return { status: response.status, code: body.error?.code, body }
}
const byHeader: Authenticate = ({ headers }) => {
  const owner = headers.get('x-user')
  return owner !== null && { owner }
}
const as = (owner: string): RequestInit => ({ headers: { 'x-user': owner } })
const post = (headers: Record<string, string>, body = '{}'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
})

it('lets in whom the application knows, each to the sessions of its owner, on every host name', async () => {
  start({ authenticate: byHeader })
  expect(await ask('/api/sessions')).toMatchObject({ status: 401, code: 'unauthorized' })
  const { body } = await ask('/api/sessions', post({ 'x-user': 'alice' }))
  expect((await ask(`/api/sessions/${body.id}`, as('alice'))).status).toBe(200)
  expect((await ask(`/api/sessions/${body.id}`, as('bob'))).code).toBe('session_not_found')
  expect((await ask('/api/audit', as('alice'))).code).toBe('forbidden')
})

it('makes browser tokens for users, beside its sign-in, and no caller is let in as another one', async () => {
  start({ authenticate: byHeader, apiKeys: ['a-key-of-the-operator'] })
  const { token } = await toolwire.tokens.create({ owner: 'auth0|alice' })
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
  const { body } = await ask('/api/sessions', post(bearer(token)))
  expect((await ask(`/api/sessions/${body.id}`, as('auth0|alice'))).status).toBe(200)
  expect((await ask('/api/me', { headers: bearer(token) })).body.owner).toBe('auth0|alice')
  const forged = `${token.slice(0, -2)}AA`
  expect(await ask('/api/me', { headers: { ...bearer(forged), 'x-user': 'bob' } })).toMatchObject({
    status: 401,
  })
  expect(await ask('/api/tokens', post({ 'x-user': 'bob' }, '{"owner":"alice"}'))).toMatchObject({
    code: 'forbidden',
  })
})

it('takes issuers of JSON web tokens, and lets no caller in while they are away', async () => {
  start({ auth: { jwt: [{ issuer: 'http://127.0.0.1:1', audience: 'agents' }] } })
  expect(await ask('/api/sessions')).toMatchObject({ status: 401 })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'http://127.0.0.1:1', aud: 'agents', sub: 'alice', exp: 9e9 }
  const token = `${part({ alg: 'ES256', kid: 'a' })}.${part(claims)}.AAAA`
  expect(await ask('/api/sessions', { headers: { authorization: `Bearer ${token}` } })).toMatchObject({
    status: 503,
    code: 'identity_unavailable',
  })
  expect(logged.join()).toContain('could not be read')
})

const BAD: readonly (readonly [unknown, string])[] = [
  [{ owner: '' }, 'owner must be'],
  [7, 'must be an object'],
  [{ owner: 'a', scopes: ['read', 'everything'] }, 'scopes must be a list'],
  [{ owner: 'a', limits: { budget_usd: -1 } }, 'limits.budget_usd must be'],
  [{ owner: 'a', limits: { constructor: 1 } }, 'limits.constructor must be'],
  [{ owner: 'a', models: 'cheap' }, 'models must be a list'],
  [{ owner: 'a', model: 'cheap' }, '\\"model\\" is not known'],
  [{ owner: 'a', expires_at: 'soon' }, 'expires_at must be a time'],
]
it.each(BAD)('takes %j for no caller, and logs why', async (answer, problem) => {
  start({ authenticate: () => answer as { owner: string } })
  expect(await ask('/api/sessions')).toMatchObject({ status: 401, code: 'unauthorized' })
  expect(logged.join()).toContain(problem)
})

it('never lets a request in when the function of the application fails or refuses', async () => {
  let fail: () => Promise<null> = async () => {
    throw new Error('the secret of the database')
  }
  start({ authenticate: () => fail() })
  const failed = await ask('/api/sessions')
  expect([failed.status, failed.code]).toEqual([500, 'internal'])
  expect(JSON.stringify(failed.body)).not.toContain('secret')
  expect(logged.join()).toContain('the secret of the database')
  fail = async () => {
    throw new AppError('forbidden', 'Pay first.')
  }
  expect(await ask('/api/sessions')).toMatchObject({
    status: 403,
    body: { error: { message: 'Pay first.' } },
  })
})

it('answers 503 when the function of the application does not end', async () => {
  start({ authenticate: () => new Promise<null>(() => {}) })
  await toolwire.ready()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const answer = ask('/api/sessions')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await answer).toMatchObject({ status: 503, code: 'identity_unavailable' })
  } finally {
    vi.useRealTimers()
  }
})

it('refuses changes that come with cookies from a page of another host', async () => {
  start({ authenticate: byHeader })
  const cookie = { 'x-user': 'alice', cookie: 'session=1' }
  const send = async (more: Record<string, string>) =>
    (await ask('/api/sessions', post({ ...cookie, ...more }))).status
  expect(await send({})).toBe(403)
  expect(await send({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await send({ 'sec-fetch-site': 'same-site' })).toBe(403)
  expect(await send({ origin: 'https://evil.example.com' })).toBe(403)
  expect(await send({ 'sec-fetch-site': 'same-origin' })).toBe(201)
  expect(await send({ origin: 'https://app.example.com' })).toBe(201)
  expect((await ask('/api/sessions', { headers: cookie })).status).toBe(200)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect(await send({ 'sec-fetch-site': 'same-origin', 'content-type': type })).toBe(415)
})

it('ends the responses of a caller whose sign-in runs out', async () => {
  start({ authenticate: () => ({ owner: 'alice', expires_at: Date.now() + 300 }) })
  const { id } = await toolwire.as({ owner: 'alice' }).sessions.create()
  const url = `https://app.example.com/api/sessions/${id}/events?follow=true`
  const response = await toolwire.handler(new Request(url))
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('aborted')
})

it('gives no fetch handler where everyone would be let in', async () => {
  start({})
  await expect(toolwire.handler(new Request('http://localhost/api/sessions'))).rejects.toThrow(TypeError)
  for (const bad of ['text', undefined, {}])
    await expect(toolwire.handler(bad as unknown as Request)).rejects.toThrow('takes a Request')
})

it('lets this machine alone in without a sign-in, by the address of the connection', async () => {
  start({})
  const remote = { address: '127.0.0.1' }
  const host = createServer((request, response) => {
    Object.defineProperty(request.socket, 'remoteAddress', { get: () => remote.address, configurable: true })
    toolwire.node(request, response)
  })
  host.listen(0, '127.0.0.1')
  await once(host, 'listening')
  try {
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/sessions`
    expect((await fetch(url)).status).toBe(200)
    remote.address = '::ffff:127.0.0.1'
    expect((await fetch(url)).status).toBe(200)
    remote.address = '10.1.2.3'
    const headers = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }
    expect((await fetch(url, { headers })).status).toBe(403)
  } finally {
    host.closeAllConnections()
    host.close()
  }
})
