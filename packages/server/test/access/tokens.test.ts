/** Browser tokens: who may make one, what it reaches, and how it ends. */
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf, revokeKey } from '../../src/access/api-key.ts'
import { listAudit } from '../../src/access/audit.ts'
import { addSpending, readSpending } from '../../src/access/spending.ts'
import { loadSigningKeys, rotateSigningKey } from '../../src/access/token-records.ts'
import { ROUTES } from '../../src/routes.ts'
import { startServer } from '../start-server.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let minter: string
beforeEach(async () => {
  server = await startKeyServer({ pollMs: 600_000 })
  minter = await server.newKey({ owner: 'app', scopes: ['read', 'write', 'gateway', 'tokens'] })
})
afterEach(() => server.close())

const mint = async (body: object, key = minter) => await server.as(key, 'POST', '/api/tokens', body)
const newToken = async (body: object = {}, key = minter): Promise<string> =>
  (await mint({ owner: 'alice', ...body }, key)).body.token
const statusOf = async (token: string): Promise<number> => (await server.as(token, 'GET', '/api/me')).status
const newSession = async (key: string): Promise<string> =>
  (await server.as(key, 'POST', '/api/sessions', {})).body.id

/** The claims of a token, changed by `change`, with its old digest. */
function altered(token: string, change: (claims: Record<string, unknown>) => object): string {
  const [head = '', packed = '', digest = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(packed, 'base64url').toString())
  return [head, Buffer.from(JSON.stringify(change(claims))).toString('base64url'), digest].join('.')
}

/** Another digest, and another text for the bytes of the same one: its last letter has two bits too many. */
function otherDigests(token: string): readonly string[] {
  const at = token.lastIndexOf('.') + 1
  const first = token[at] === 'A' ? 'B' : 'A'
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = letters[letters.indexOf(token.at(-1) ?? '') + 1] ?? ''
  return [`${token.slice(0, at)}${first}${token.slice(at + 1)}`, `${token.slice(0, -1)}${last}`]
}

describe('a browser token', () => {
  it('is made for any owner, reaches its sessions, and says what it is', async () => {
    const made = await mint({ owner: 'auth0|alice' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        token: expect.stringMatching(/^twt_/),
        token_id: expect.stringMatching(/^tok_[0-9a-f]{18}$/),
        owner: 'auth0|alice',
        scopes: ['read', 'write', 'gateway'],
      },
    })
    const life = Date.parse(made.body.expires_at) - Date.now()
    expect(life).toBeGreaterThan(9 * 60_000)
    expect(life).toBeLessThanOrEqual(10 * 60_000)
    const session = await newSession(made.body.token)
    const later = await newToken({ owner: 'auth0|alice' })
    expect((await server.as(later, 'GET', `/api/sessions/${session}`)).status).toBe(200)
    expect((await server.as(minter, 'GET', `/api/sessions/${session}`)).status).toBe(404)
    const me = (await server.as(later, 'GET', '/api/me')).body
    expect(me).toMatchObject({
      owner: 'auth0|alice',
      key_id: `token:${keyIdOf(minter)}:auth0|alice`,
      token: { sessions: null, id: expect.stringMatching(/^tok_/) },
    })
  })

  it('is not made with a wrong body, and the answer names the field', async () => {
    for (const [body, field] of [
      [{}, 'owner'],
      [{ owner: 'a\0' }, 'owner'],
      [{ owner: 'x'.repeat(256) }, 'owner'],
      [{ owner: 'a', minutes: 0 }, 'minutes'],
      [{ owner: 'a', minutes: 61 }, 'minutes'],
      [{ owner: 'a', minutes: '10' }, 'minutes'],
      [{ owner: 'a', sessions: [] }, 'sessions'],
      [{ owner: 'a', sessions: 'all' }, 'sessions'],
      [{ owner: 'a', sessions: Array.from({ length: 100 }, () => 's'.repeat(128)) }, 'sessions'],
      [{ owner: 'a', origins: ['https://a.example/'] }, 'origins'],
      [{ owner: 'a', origins: ['null'] }, 'origins'],
      [{ owner: 'a', limits: { budget_usd: -1 } }, 'limits'],
      [{ owner: 'a', models: 'demo' }, 'models'],
      [{ owner: 'a', models: [''] }, 'models'],
      [{ owner: 'a', model: 'demo' }, 'model'],
    ] as const) {
      const refused = await mint(body)
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } })
      expect(refused.body.error.message).toContain(field)
    }
  })

  it('gets no scope that its maker lacks, and none that a stolen one could spread with', async () => {
    const refused = await mint({
      owner: 'a',
      scopes: ['read', 'approve', 'admin', 'tokens', 'metrics', 'nonsense'],
    })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    for (const scope of ['approve', 'admin', 'tokens', 'metrics', 'nonsense'])
      expect(refused.body.error.message).toContain(scope)
    const chief = await server.newKey({ owner: 'app', scopes: ['admin', 'tokens'] })
    expect((await mint({ owner: 'a' }, chief)).body.scopes).toEqual([
      'read',
      'write',
      'approve',
      'gateway',
      'mcp',
    ])
    expect((await mint({ owner: 'a', scopes: ['admin'] }, chief)).status).toBe(403)
    const token = await newToken()
    // The scope admin ends at its owner; tokens are for any owner.
    expect((await mint({ owner: 'a' }, await server.newKey({ scopes: ['admin'] }))).status).toBe(403)
    expect((await mint({ owner: 'a' }, token)).status).toBe(403)
    expect((await mint({ owner: 'a' }, await server.newKey({}))).status).toBe(403)
  })

  it('loses a scope that its key loses', async () => {
    const token = await newToken()
    await server.records.update('api_key', keyIdOf(minter) ?? '', value => ({
      ...(value as object),
      scopes: ['read', 'tokens'],
    }))
    await expect
      .poll(async () => (await server.as(token, 'POST', '/api/sessions', {})).status, { timeout: 100_000 })
      .toBe(403)
    expect(await statusOf(token)).toBe(200)
  })

  it('that was altered, signed by another key, or is of another form is refused like an unknown key', async () => {
    const token = await newToken()
    const [head = '', packed = ''] = token.split('.')
    const [key] = await loadSigningKeys(server.records)
    const own = (text: string): string =>
      createHmac('sha256', key?.secret ?? '')
        .update(text)
        .digest('base64url')
    const forgeries = [
      altered(token, claims => ({ ...claims, owner: 'bob' })),
      altered(token, claims => ({ ...claims, scopes: ['read', 'admin'] })),
      altered(token, claims => ({ ...claims, expires_at: 9e15 })),
      ...otherDigests(token),
      token.slice(0, -1),
      `${head}.${packed}.`,
      `${head}.${packed}`,
      // By the right key, for another purpose.
      `${head}.${packed}.${own(`${head.slice(4)}.${packed}`)}`,
      token.replace(head, 'twt_ffffffff'),
      token.replace(head, 'twt_'),
      'twt_',
      `twt_${'a'.repeat(9_000)}`,
      'eyJhbGciOiJub25lIn0.eyJvd25lciI6ImFsaWNlIn0.',
    ]
    const unknown = await server.as('tw_x', 'GET', '/api/sessions')
    for (const forged of forgeries) {
      const refused = await server.as(forged, 'GET', '/api/sessions')
      const { request_id: _, ...error } = refused.body.error
      expect([refused.status, error], forged.slice(0, 60)).toEqual([
        401,
        { ...unknown.body.error, request_id: undefined },
      ])
    }
    expect(server.logged.join('\n')).not.toContain('twt_')
  })

  it('ends at its time, with its key, and when it or its owner is revoked', async () => {
    const [one, two, other] = [await newToken(), await newToken(), await newToken({ owner: 'bob' })]
    const { token_id } = (await mint({ owner: 'alice' })).body
    const third = (await mint({ owner: 'alice' })).body
    expect((await server.as(minter, 'POST', '/api/tokens/revoke', { token_id })).body).toEqual({
      revoked: true,
    })
    await server.as(minter, 'POST', '/api/tokens/revoke', { token_id: third.token_id })
    expect(await Promise.all([one, third.token].map(statusOf))).toEqual([200, 401])
    await server.as(minter, 'POST', '/api/tokens/revoke', { owner: 'alice' })
    await expect.poll(() => Promise.all([one, two].map(statusOf)), { timeout: 100_000 }).toEqual([401, 401])
    expect(await statusOf(other)).toBe(200)
    // Those that are made afterwards are good.
    await expect.poll(async () => await statusOf(await newToken()), { timeout: 100_000 }).toBe(200)
    await revokeKey(server.records, keyIdOf(minter) ?? '', new Date())
    await expect.poll(() => statusOf(other), { timeout: 100_000 }).toBe(401)
  })

  it('outlives one change of the signing key, and not the next', async () => {
    const token = await newToken()
    await rotateSigningKey(server.records)
    const next = await startServer({}, { records: server.records })
    const status = async (): Promise<number> =>
      (await next.json('GET', '/api/me', undefined, { authorization: `Bearer ${token}` })).status
    expect(await status()).toBe(200)
    await rotateSigningKey(server.records)
    await expect.poll(status, { timeout: 100_000 }).toBe(401)
    await next.close()
  })

  it('is not taken in the query, nor are keys and JSON web tokens', async () => {
    for (const secret of [await newToken(), minter, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln']) {
      const refused = await server.json('GET', `/api/sessions?token=${secret}`)
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } })
      expect(JSON.stringify(refused.body)).not.toContain(secret.slice(0, 12))
    }
  })

  it('is for the pages that it names', async () => {
    const origin = server.url
    const token = await newToken({ origins: ['https://shop.example'] })
    const from = async (headers: object): Promise<number> =>
      (await server.json('GET', '/api/me', undefined, { authorization: `Bearer ${token}`, ...headers }))
        .status
    expect(await from({ origin })).toBe(403)
    expect(await from({})).toBe(200)
    const own = await newToken({ origins: [origin] })
    expect(
      (await server.json('GET', '/api/me', undefined, { authorization: `Bearer ${own}`, origin })).status,
    ).toBe(200)
  })

  it('leaves its maker, its owner and its id in the audit trail', async () => {
    const { token_id } = (await mint({ owner: 'alice', name: 'shop' })).body
    await server.as(minter, 'POST', '/api/tokens/revoke', { owner: 'alice' })
    const trail = await listAudit(server.records, undefined, 100)
    expect(trail).toMatchObject([
      { action: 'token.created', by: keyIdOf(minter), details: { token_id, owner: 'alice', name: 'shop' } },
      { action: 'token.revoked', details: { owner: 'alice' } },
    ])
    expect(JSON.stringify(trail)).not.toContain('twt_')
  })
})

describe('a browser token for some sessions', () => {
  it('reaches these and makes no others, on any wire', async () => {
    const all = await newToken()
    const [mine, other] = [await newSession(all), await newSession(all)]
    const token = await newToken({ sessions: [mine] })
    expect((await server.as(token, 'GET', `/api/sessions/${mine}`)).status).toBe(200)
    expect((await server.as(token, 'GET', `/api/sessions/${other}`)).status).toBe(404)
    const listed = (await server.as(token, 'GET', '/api/sessions')).body.sessions
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([mine])
    const messages = [{ role: 'user', content: 'echo' }]
    for (const [path, body] of [
      ['/api/sessions', {}],
      [`/api/sessions/${mine}/fork`, {}],
      ['/v4/response', { input: 'echo' }],
      ['/v4/prepare', { input: 'echo' }],
      ['/v1/chat/completions', { model: 'demo', messages }],
      ['/v1/messages', { model: 'demo', max_tokens: 5, messages }],
      ['/v1/responses', { model: 'demo', input: 'echo' }],
      [
        '/api/chat',
        { id: 'c1', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'echo' }] }] },
      ],
      ['/api/agents', { name: 'mine' }],
      ['/v1/conversations', {}],
    ] as const) {
      const refused = await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect([path, refused.status]).toEqual([path, 403])
      await refused.text()
    }
    const rows = (await server.store.list({ limit: 100 })).items
    expect(rows.map(({ id }) => id).sort()).toEqual([mine, other].sort())
    expect(server.model.calls()).toBe(0)
  })

  it('that it makes itself reaches those, and no earlier ones', async () => {
    const before = await newSession(await newToken())
    const token = await newToken({ sessions: 'new' })
    const own = await newSession(token)
    expect((await server.as(token, 'GET', `/api/sessions/${own}`)).status).toBe(200)
    expect((await server.as(token, 'GET', `/api/sessions/${before}`)).status).toBe(404)
    const listed = (await server.as(token, 'GET', '/api/sessions')).body.sessions
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([own])
    const next = await newToken({ sessions: 'new' })
    expect((await server.as(next, 'GET', `/api/sessions/${own}`)).status).toBe(404)
  })

  it('is refused where all sessions of its owner are concerned', () => {
    const shared = ROUTES.filter(({ sharedByOwner }) => sharedByOwner).map(({ id }) => id)
    expect(shared.sort()).toEqual(
      [
        ...['createAgent', 'updateAgent', 'archiveAgent', 'getInstructions', 'setInstructions'],
        ...['listUploads', 'deleteUpload', 'listVendorFiles', 'deleteVendorFile'],
        ...['createConversation', 'getConversation', 'changeConversation', 'deleteConversation'],
        ...['listConversationItems', 'addConversationItems', 'getConversationItem'],
      ].sort(),
    )
  })

  it('cannot read a conversation of its owner by naming it', async () => {
    const all = await newToken()
    const conversation = (await server.as(all, 'POST', '/v1/conversations', {})).body.id
    const mine = await newSession(all)
    for (const token of [await newToken({ sessions: [mine] }), await newToken({ sessions: 'new' })]) {
      expect((await server.as(token, 'GET', `/v1/conversations/${conversation}`)).status).toBe(403)
      const answer = await server.as(token, 'POST', '/v1/responses', {
        model: 'demo',
        conversation,
        input: 'echo',
      })
      expect(answer.status).toBe(404)
    }
  })
})

describe('limits of a browser token', () => {
  it('are at most those of its key, which hold for all of its tokens together', async () => {
    const key = await server.newKey({ scopes: ['read', 'tokens'], requests_per_minute: 5 })
    const one = await newToken({ owner: 'alice', limits: { requests_per_minute: 2 } }, key)
    const two = await newToken({ owner: 'bob', limits: { requests_per_minute: 100 } }, key)
    expect([await statusOf(one), await statusOf(one), await statusOf(one)]).toEqual([200, 200, 429])
    expect([await statusOf(two), await statusOf(two)]).toEqual([200, 429])
  })

  it('count what an owner spends, and the key pays for all', async () => {
    const key = await server.newKey({ scopes: ['read', 'write', 'tokens'], budget_usd: 5 })
    const id = keyIdOf(key) ?? ''
    const alice = await newToken({ owner: 'alice', limits: { budget_usd: 1 } }, key)
    const bob = await newToken({ owner: 'bob' }, key)
    const turn = { usd: 2, input_tokens: 1, output_tokens: 1 }
    await addSpending(server.records, `token:${id}:alice`, turn)
    expect((await server.as(alice, 'POST', '/api/sessions', {})).body.error.code).toBe('quota_exceeded')
    expect((await server.as(bob, 'POST', '/api/sessions', {})).status).toBe(201)
    await addSpending(server.records, id, { ...turn, usd: 5 })
    expect((await server.as(bob, 'POST', '/api/sessions', {})).body.error.code).toBe('quota_exceeded')
    expect((await readSpending(server.records, `token:${id}:bob`)).usd).toBe(0)
  })
})
