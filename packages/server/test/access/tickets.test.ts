/** Tickets: one GET for what cannot send a header. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf, revokeKey } from '../../src/access/api-key.ts'
import { LOCAL_OPERATOR } from '../../src/access/principal.ts'
import { redeemTicket } from '../../src/access/tickets.ts'
import { startServer } from '../start-server.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let key: string
let session: string
beforeEach(async () => {
  server = await startKeyServer()
  key = await server.newKey({ owner: 'alice' })
  session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
})
afterEach(() => server.close())

const pathOf = (id = session): string => `/api/sessions/${id}/events`
const newTicket = async (path = pathOf(), by = key): Promise<string> =>
  (await server.as(by, 'POST', '/api/tickets', { session, path })).body.ticket
const open = (path: string, ticket: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}?ticket=${ticket}`, init)
async function statusOf(path: string, ticket: string, init?: RequestInit): Promise<number> {
  const response = await open(path, ticket, init)
  await response.text()
  return response.status
}

describe('a ticket', () => {
  it('opens the stream that it is for, once, and keeps its address to itself', async () => {
    const ticket = await newTicket()
    const opened = await open(pathOf(), ticket)
    expect(opened.status).toBe(200)
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
    await opened.text()
    expect(await statusOf(pathOf(), ticket)).toBe(401)
    expect(server.logged.join('\n')).not.toContain(ticket)
  })

  it('works once also when two come at the same time', async () => {
    const used = { ticket: await newTicket(), path: pathOf() }
    const holder = { findHolder: async () => LOCAL_OPERATOR }
    const redeem = () => redeemTicket(server.records, holder, used, new Date())
    const both = await Promise.allSettled([redeem(), redeem()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is for no other path, method or session, and is gone after the attempt', async () => {
    const other = (await server.as(key, 'POST', '/api/sessions', {})).body.id
    for (const path of ['/api/sessions', `/api/sessions/${session}`, pathOf(other)]) {
      const ticket = await newTicket()
      expect(await statusOf(path, ticket)).toBe(401)
      expect(await statusOf(pathOf(), ticket)).toBe(401)
    }
    expect(await statusOf(pathOf(other), await newTicket(pathOf(other)))).toBe(404)
    expect(await statusOf(pathOf(), await newTicket(), { method: 'POST' })).toBe(401)
    expect(await statusOf('/api/sessions', await newTicket('/api/sessions'))).toBe(200)
  })

  it('opens nothing of the administration, also for a key that may administer', async () => {
    const chief = await server.newKey({ owner: 'alice', scopes: ['admin'] })
    for (const path of ['/api/keys', '/api/audit', '/api/storage'])
      expect([path, await statusOf(path, await newTicket(path, chief))]).toEqual([path, 403])
    expect(await statusOf(pathOf(), await newTicket(pathOf(), chief))).toBe(200)
  })

  it('lists its session alone', async () => {
    await server.as(key, 'POST', '/api/sessions', {})
    const listed = await (await open('/api/sessions', await newTicket('/api/sessions'))).json()
    expect(listed.sessions.map(({ id }: { id: string }) => id)).toEqual([session])
  })

  it('ends with the key that made it, and at its minute', async () => {
    const [late, orphan] = [await newTicket(), await newTicket()]
    for (const { id } of await server.records.list('ticket'))
      await server.records.update('ticket', id, value => ({
        ...(value as object),
        expires_at: Date.now() - 1,
      }))
    expect(await statusOf(pathOf(), late)).toBe(401)
    const fresh = await newTicket()
    // Expired ones are swept.
    expect(await server.records.list('ticket')).toHaveLength(1)
    await revokeKey(server.records, keyIdOf(key) ?? '', new Date())
    expect(await Promise.all([fresh, orphan].map(one => statusOf(pathOf(), one)))).toEqual([401, 401])
  })

  it('is made for sessions that the caller reaches, and for paths', async () => {
    const stranger = await server.newKey({ owner: 'bob' })
    const ask = (by: string, body: object) => server.as(by, 'POST', '/api/tickets', body)
    expect((await ask(stranger, { session, path: pathOf() })).status).toBe(404)
    for (const path of ['api', 'https://a.example/', '/a?b=c', '/a#b', '/a b'])
      expect((await ask(key, { session, path })).status, path).toBe(400)
    for (const ticket of ['', 'x', 'x'.repeat(4_000), 'a&ticket=b'])
      expect(await statusOf(pathOf(), ticket)).toBe(401)
  })

  it('of a token ends with the token', async () => {
    const minter = await server.newKey({ owner: 'app', scopes: ['admin', 'tokens'] })
    const made = await server.as(minter, 'POST', '/api/tokens', { owner: 'alice', scopes: ['read'] })
    expect(await statusOf(pathOf(), await newTicket(pathOf(), made.body.token))).toBe(200)
    await server.as(minter, 'POST', '/api/tokens/revoke', { owner: 'alice' })
    const again = () => server.as(made.body.token, 'POST', '/api/tickets', { session, path: pathOf() })
    await expect.poll(async () => (await again()).status, { timeout: 100_000 }).toBe(401)
  })
})

it('a server without keys gives tickets and tokens, which end when it gets its first key', async () => {
  const { createMemoryRecords } = await import('@toolwire/store')
  const { createKey } = await import('../../src/access/api-key.ts')
  const records = createMemoryRecords()
  const open = await startServer({}, { records })
  const id = await open.newSession()
  const path = `/api/sessions/${id}/events`
  const { ticket } = (await open.json('POST', '/api/tickets', { session: id, path })).body
  const used = await fetch(`${open.url}${path}?ticket=${ticket}`)
  expect(used.status).toBe(200)
  await used.text()
  const { token } = (await open.json('POST', '/api/tokens', { owner: 'alice' })).body
  const status = async () =>
    (await open.json('GET', `/api/sessions/${id}`, undefined, { authorization: `Bearer ${token}` })).status
  // As the user, who has no session: also here a token is never more than its owner.
  expect(await status()).toBe(404)
  const plain = { name: 'n', owner: 'o', scopes: ['read' as const], expires_at: null, workspace: null }
  const limits = { requests_per_minute: null, concurrent: null, budget_usd: null }
  await createKey(records, { ...plain, ...limits }, new Date())
  await expect.poll(status, { timeout: 100_000 }).toBe(401)
  await open.close()
})
