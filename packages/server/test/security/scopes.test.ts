/** What a key with few rights can try: other spellings of a path, other methods, other headers. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { addSpending } from '../../src/access/spending.ts'
import { type KeyServer, startKeyServer } from '../access/key-server.ts'
import { rawRequest } from './raw-request.ts'

let server: KeyServer | undefined
const folders: string[] = []
afterEach(async () => {
  await server?.close()
  server = undefined
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const permissions = {
  list: async () => [],
  revoke: async () => ({
    type: 'revoked',
    rule: { id: 'r1', rule: 'Bash', mode: 'allow', source: 'project' },
  }),
  set: async () => ({ type: 'set', notes: [], rule: { id: 'r1', rule: 'Bash' } }),
  rehearse: async () => ({}),
} as unknown as NonNullable<Parameters<typeof startKeyServer>[0]>['permissions']

const start = async (): Promise<KeyServer> => {
  server = await startKeyServer({ ...(permissions ? { permissions } : {}), canTry: true })
  return server
}

/** Ways to write a path that a router may take for the same one. */
const spellings = (path: string): readonly string[] => [
  path,
  path.replace('/api', '/%61pi'),
  path.replace('/v1', '/%761'),
  path.replace('/metrics', '/%6Detrics'),
  path.replace(/\/([a-z])([a-z0-9]*)$/, (_, a: string, b: string) => `/%${a.charCodeAt(0).toString(16)}${b}`),
  `http://localhost${path}`,
  `/${path}`,
  path.toUpperCase(),
  `${path}/`,
  `${path}?x=1`,
  `${path};x`,
  path.replace(/(?<!^)\//g, '%2f'),
]

describe('a key without the scope', () => {
  const guarded = [
    ['GET', '/api/audit', 'read'],
    ['GET', '/api/memory', 'read'],
    ['DELETE', '/api/permissions/r1', 'write'],
    ['POST', '/api/permissions', 'write'],
    ['PUT', '/api/permissions/r1', 'approve'],
    ['POST', '/v1/messages', 'write'],
    ['POST', '/v1/chat/completions', 'write'],
    ['POST', '/api/sessions', 'read'],
    ['POST', '/api/tools/Danger/try', 'read'],
    ['POST', '/api/permissions/explain', 'gateway'],
    ['POST', '/api/approvals/apr_x.y', 'write'],
    ['GET', '/api/sessions', 'gateway'],
  ] as const

  it.each(guarded)(
    'cannot %s %s by another spelling of the path (it has %s)',
    async (method, path, scope) => {
      const { url, newKey } = await start()
      const key = await newKey({ scopes: [scope] })
      for (const target of new Set(spellings(path))) {
        const body = JSON.stringify({
          model: 'demo',
          max_tokens: 5,
          messages: [{ role: 'user', content: 'echo' }],
        })
        const head = [
          `${method} ${target} HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${key}`,
          ...(method === 'POST' ? ['Content-Type: application/json'] : []),
        ]
        const { status } = await rawRequest(url, head, method === 'POST' ? body : '')
        expect({ target, refused: [403, 404].includes(status), status }).toMatchObject({ refused: true })
      }
    },
  )

  it('to write cannot start a run by a GET, on any path that would', async () => {
    const { as, newKey, store } = await start()
    const reader = await newKey({ scopes: ['read'] })
    expect((await as(reader, 'GET', '/v4/response?input=echo')).status).toBe(403)
    expect((await store.list({ limit: 10 })).items).toEqual([])
  })
})

describe('a key whose budget is used up', () => {
  it('starts no run by a GET either, nor by a token that it was given before', async () => {
    const { as, newKey, records, store } = await start()
    const key = await newKey({ budget_usd: 1 })
    const { run_token } = (await as(key, 'POST', '/v4/prepare', { input: 'echo' })).body
    await addSpending(records, key.split('_')[1] ?? '', { usd: 2, input_tokens: 1, output_tokens: 1 })
    expect((await as(key, 'GET', '/v4/response?input=echo')).status).toBe(429)
    expect((await as(key, 'GET', `/v4/response/${run_token}`)).status).toBe(429)
    const [row] = (await store.list({ limit: 10 })).items
    const events = await store.read(row?.id ?? '', 0, 100)
    expect(events.map(rec => rec.ev.type)).not.toContain('input.message')
  })

  it('or that was revoked leaves no token behind that works', async () => {
    const { as, newKey, records, json } = await start()
    const key = await newKey({})
    const { run_token } = (await as(key, 'POST', '/v4/prepare', { input: 'echo' })).body
    const { revokeKey } = await import('../../src/access/api-key.ts')
    await revokeKey(records, key.split('_')[1] ?? '', new Date())
    expect((await json('GET', `/v4/response/${run_token}`)).status).toBe(401)
  })
})

describe('a change of permissions', () => {
  it('by taking a rule back is in the audit trail', async () => {
    const { as, newKey } = await start()
    const admin = await newKey({ scopes: ['admin'] })
    expect((await as(admin, 'DELETE', '/api/permissions/r1')).status).toBe(200)
    const { entries } = (await as(admin, 'GET', '/api/audit')).body
    expect(entries).toMatchObject([{ action: 'permission_rule.revoked', details: { rule: 'Bash' } }])
  })
})

describe('a key that is bound to no folder', () => {
  it('stays in the folder of the server, unless it may do everything', async () => {
    const { as, newKey } = await start()
    const open = async (key: string) =>
      (await as(key, 'POST', '/api/sessions', { workspace: tmpdir() })).status
    expect(await open(await newKey({}))).toBe(403)
    expect(await open(await newKey({ scopes: ['admin'] }))).toBe(201)
  })
})

describe('a key that is bound to a folder', () => {
  it('does not leave it by a link inside of it, nor by dots', async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-bound-')))
    folders.push(base)
    mkdirSync(join(base, 'mine', 'sub'), { recursive: true })
    mkdirSync(join(base, 'other'))
    symlinkSync('../other', join(base, 'mine', 'way-out'))
    const { as, newKey } = await start()
    const key = await newKey({ workspace: join(base, 'mine') })
    const open = async (workspace: string) => (await as(key, 'POST', '/api/sessions', { workspace })).status
    expect(await open('sub')).toBe(201)
    for (const away of ['way-out', 'way-out/x', '../other', join(base, 'other'), '/', 'sub/../../other'])
      expect([away, await open(away)]).toEqual([away, 403])
    const tried = await as(key, 'POST', '/api/tools/Danger/try', { workspace: 'way-out' })
    expect(tried.status).toBe(tried.body.error?.code === 'not_found' ? 404 : 403)
  })
})
