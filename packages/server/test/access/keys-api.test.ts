/** API keys over HTTP: the holder of a key gives no more than it has. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf } from '../../src/access/api-key.ts'
import { listAudit } from '../../src/access/audit.ts'
import { addSpending } from '../../src/access/spending.ts'
import { startServer } from '../start-server.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let chief: string
beforeEach(async () => {
  server = await startKeyServer()
  chief = await server.newKey({ owner: 'alpha', scopes: ['admin'] })
})
afterEach(() => server.close())

const idOf = (key: string): string => keyIdOf(key) ?? ''
const make = (body: object, by = chief) => server.as(by, 'POST', '/api/keys', body)
const statusOf = async (key: string): Promise<number> => (await server.as(key, 'GET', '/api/me')).status

describe('a key', () => {
  it('is made, shown once, listed with its use and spending, changed and revoked', async () => {
    const made = await make({ name: 'page', requests_per_minute: 60 })
    expect(made).toMatchObject({
      status: 201,
      body: {
        key: expect.stringMatching(/^tw_[0-9a-f]{12}_[\w-]{32}$/),
        name: 'page',
        owner: 'alpha',
        scopes: ['read', 'write', 'approve', 'gateway'],
        expires_at: null,
        requests_per_minute: 60,
        last_used_at: null,
        spent: { usd: 0 },
      },
    })
    const { key, id } = made.body
    expect(await statusOf(key)).toBe(200)
    await addSpending(server.records, id, { usd: 2, input_tokens: 1, output_tokens: 1 })
    const find = async () =>
      (await server.as(chief, 'GET', '/api/keys')).body.keys.find((one: { id: string }) => one.id === id)
    expect(await find()).toMatchObject({
      last_used_at: expect.stringMatching(/^\d{4}-/),
      spent: { usd: 2 },
      revoked_at: null,
    })
    expect(JSON.stringify(await server.as(chief, 'GET', '/api/keys'))).not.toMatch(/digest|tw_/)
    const changed = await server.as(chief, 'PATCH', `/api/keys/${id}`, { scopes: ['read'], name: 'reader' })
    expect(changed.body).toMatchObject({ scopes: ['read'], name: 'reader', requests_per_minute: 60 })
    await expect
      .poll(async () => (await server.as(key, 'POST', '/api/sessions', {})).status, { timeout: 100_000 })
      .toBe(403)
    const revoked = (await server.as(chief, 'DELETE', `/api/keys/${id}`)).body
    expect((await server.as(chief, 'DELETE', `/api/keys/${id}`)).body.revoked_at).toBe(revoked.revoked_at)
    await expect.poll(() => statusOf(key), { timeout: 100_000 }).toBe(401)
    const actions = (await listAudit(server.records, undefined, 100)).map(({ action }) => action)
    expect(actions).toEqual(['key.created', 'key.changed', 'key.revoked'])
  })

  it('gets another secret, and the one before has its grace', async () => {
    const { key, id } = (await make({ name: 'page' })).body
    const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
    const second = (await server.as(chief, 'POST', `/api/keys/${id}/rotate`, { grace_minutes: 5 })).body
    expect(second).toMatchObject({ id, previous_until: expect.any(String) })
    expect(second.key).not.toBe(key)
    await expect.poll(() => statusOf(second.key), { timeout: 100_000 }).toBe(200)
    expect(await statusOf(key)).toBe(200)
    expect((await server.as(second.key, 'GET', `/api/sessions/${session}`)).status).toBe(200)
    const third = (await server.as(chief, 'POST', `/api/keys/${id}/rotate`, {})).body
    await expect.poll(() => statusOf(third.key), { timeout: 100_000 }).toBe(200)
    // Neither the one before, without grace, nor the first one, which is two changes old.
    await expect.poll(() => statusOf(second.key), { timeout: 100_000 }).toBe(401)
    expect(await statusOf(key)).toBe(401)
  })

  it('of another owner does not exist', async () => {
    const other = await server.newKey({ owner: 'beta' })
    const listed = (await server.as(chief, 'GET', '/api/keys')).body.keys
    expect(listed.map(({ owner }: { owner: string }) => owner)).toEqual(['alpha'])
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'mine' }],
      ['POST', '/rotate', {}],
      ['DELETE', '', undefined],
    ] as const)
      for (const id of [idOf(other), 'ffffffffffff', '__proto__'])
        expect((await server.as(chief, method, `/api/keys/${id}${path}`, body)).status).toBe(404)
    expect(await statusOf(other)).toBe(200)
  })

  it('gives no more than it has', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const limited = await server.newKey({
      owner: 'alpha',
      scopes: ['admin'],
      expires_at,
      workspace: '/workspace/alpha',
    })
    const defaults = (await make({ name: 'heir' }, limited)).body
    expect(defaults).toMatchObject({
      expires_at,
      workspace: '/workspace/alpha',
    })
    for (const [body, named] of [
      [{ owner: 'beta' }, 'alpha'],
      [{ scopes: ['read', 'tokens'] }, 'tokens'],
      [{ workspace: '/' }, 'workspace'],
      [{ workspace: null }, 'workspace'],
      [{ expires_at: null }, 'expires_at'],
      [{ expires_at: new Date(Date.now() + 7_200_000).toISOString() }, 'expires_at'],
    ] as const) {
      const refused = await make({ name: 'x', ...body }, limited)
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
      expect(refused.body.error.message).toContain(named)
      if ('owner' in body || 'workspace' in body) continue
      expect((await server.as(limited, 'PATCH', `/api/keys/${defaults.id}`, body)).status).toBe(403)
    }
    // Nor does it take the secret of a stronger one.
    expect((await server.as(limited, 'POST', `/api/keys/${idOf(chief)}/rotate`, {})).status).toBe(403)
    expect((await make({ name: 'x' }, await server.newKey({ owner: 'alpha' }))).status).toBe(403)
  })

  it('with a limit makes no others, which together would have more, and changes no limit', async () => {
    const { id } = (await make({ name: 'page', budget_usd: 1 })).body
    for (const [name, most] of [
      ['budget_usd', 5],
      ['concurrent', 2],
      ['requests_per_minute', 60],
    ] as const) {
      const limited = await server.newKey({ owner: 'alpha', scopes: ['admin'], [name]: most })
      for (const wanted of [{}, { [name]: 1 }, { [name]: null }]) {
        const refused = await make({ name: 'x', ...wanted }, limited)
        expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
        expect(refused.body.error.message).toContain(name)
      }
      for (const wanted of [1, most, null])
        expect((await server.as(limited, 'PATCH', `/api/keys/${id}`, { [name]: wanted })).status).toBe(403)
      expect((await server.as(limited, 'POST', `/api/keys/${id}/rotate`, {})).status).toBe(403)
      expect((await server.as(limited, 'PATCH', `/api/keys/${id}`, { name: 'mine' })).status).toBe(200)
    }
  })

  it('that is the last with the scope admin stays', async () => {
    const id = idOf(chief)
    expect((await server.as(chief, 'DELETE', `/api/keys/${id}`)).body.error.code).toBe('conflict')
    expect((await server.as(chief, 'PATCH', `/api/keys/${id}`, { scopes: ['read'] })).status).toBe(409)
    const expires_at = new Date(Date.now() - 1).toISOString()
    expect((await server.as(chief, 'PATCH', `/api/keys/${id}`, { expires_at })).status).toBe(409)
    expect((await server.as(chief, 'PATCH', `/api/keys/${id}`, { name: 'still' })).status).toBe(200)
    await make({ name: 'second', scopes: ['admin'] })
    expect((await server.as(chief, 'DELETE', `/api/keys/${id}`)).status).toBe(200)
  })

  it('is not made with a wrong body, and the answer names the field', async () => {
    for (const [body, field] of [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'x', owner: 'a\0' }, 'owner'],
      [{ name: 'x', scopes: [] }, 'scopes'],
      [{ name: 'x', scopes: ['everything'] }, 'scopes'],
      [{ name: 'x', budget_usd: -1 }, 'budget_usd'],
      [{ name: 'x', budget_usd: 'NaN' }, 'budget_usd'],
      [{ name: 'x', expires_at: 'soon' }, 'expires_at'],
      [{ name: 'x', digest: 'y' }, 'digest'],
    ] as const) {
      const refused = await make(body)
      expect(refused.status).toBe(400)
      expect(refused.body.error.message).toContain(field)
    }
    expect((await server.as(chief, 'PATCH', `/api/keys/${idOf(chief)}`, {})).status).toBe(400)
    const grace = { grace_minutes: 10_081 }
    expect((await server.as(chief, 'POST', `/api/keys/${idOf(chief)}/rotate`, grace)).status).toBe(400)
    expect((await server.as(chief, 'GET', '/api/keys?cursor=x')).status).toBe(400)
  })

  it('is on one page of its list, in the order of their ids', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await make({ name })
    const ids: string[] = []
    let cursor: string | null = ''
    for (let i = 0; cursor !== null && i < 5; i++) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { keys, next_cursor } = (await server.as(chief, 'GET', `/api/keys?limit=2${query}`)).body
      expect(keys.length).toBeLessThanOrEqual(2)
      ids.push(...keys.map(({ id }: { id: string }) => id))
      cursor = next_cursor
    }
    expect(ids).toHaveLength(5)
    expect(ids).toEqual([...new Set(ids)].sort())
  })
})

it('the first key of a server without keys is made by its user, of any owner, and locks it', async () => {
  const open = await startServer({}, { records: createMemoryRecords() })
  const made = await open.json('POST', '/api/keys', {
    name: 'first',
    owner: 'ann',
    scopes: ['admin', 'tokens'],
  })
  expect(made).toMatchObject({ status: 201, body: { owner: 'ann', scopes: ['admin', 'tokens'] } })
  await expect
    .poll(async () => (await open.json('GET', '/api/sessions')).status, { timeout: 100_000 })
    .toBe(401)
  const headers = { authorization: `Bearer ${made.body.key}` }
  expect((await open.json('GET', '/api/keys', undefined, headers)).body.keys).toHaveLength(1)
  await open.close()
})
