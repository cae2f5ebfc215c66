import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import type { McpTools } from '../src/create-mcp-tools.ts'
import { createCredentialStore } from '../src/oauth/credentials.ts'
import { refreshOnce } from '../src/oauth/refresh-once.ts'
import { createSignIn } from '../src/oauth/sign-in.ts'
import { serveBehindOAuth } from './fake-authorization.ts'
import { closeServers } from './http-servers.ts'
import { closeAll, isReady, stageOf, start, until } from './stage-mcp.ts'

const REDIRECT = 'http://127.0.0.1:9/api/mcp/callback'
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-oauth-'))
})
afterEach(closeAll)
afterEach(closeServers)
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const told: string[] = []
const begin = (url: string, more: object = {}): McpTools =>
  start(
    { vault: { type: 'http', url, headers: {}, ...more } },
    { folder, redirectUrl: () => REDIRECT, onSignIn: (server, address) => told.push(`${server} ${address}`) },
  )

const needsAuth = (mcp: McpTools) => (): boolean => mcp.status()[0]?.state === 'needs_auth'

/** What a browser does with the address: it ends at the callback. */
async function browse(mcp: McpTools): Promise<URLSearchParams> {
  const answer = await fetch(mcp.status()[0]?.authorization_url ?? '', { redirect: 'manual' })
  return new URL(answer.headers.get('location') ?? '').searchParams
}

async function signedIn(url: string): Promise<McpTools> {
  const mcp = begin(url)
  await until(mcp, needsAuth(mcp))
  expect(await mcp.finishSignIn(await browse(mcp))).toBe('vault')
  await until(mcp, isReady(mcp))
  return mcp
}

describe('a server that requires a sign-in', () => {
  test('hands the address over, takes the callback, and is called with the token', async () => {
    told.length = 0
    const { url, seen } = await serveBehindOAuth()
    const mcp = begin(url)
    await until(mcp, needsAuth(mcp))
    const address = new URL(mcp.status()[0]?.authorization_url ?? '')
    expect(told).toEqual([`vault ${address.href}`])
    expect(address.searchParams.get('resource')).toBe(url)
    expect(address.searchParams.get('redirect_uri')).toBe(REDIRECT)
    expect((address.searchParams.get('state') ?? '').length).toBeGreaterThan(40)
    expect(await mcp.finishSignIn(await browse(mcp))).toBe('vault')
    await until(mcp, isReady(mcp))
    expect(seen).toMatchObject({ registrations: 1, challenges: ['S256'] })
    // A request in flight meanwhile may renew the new token at once; the code is used once.
    expect(seen.grants.filter(grant => grant !== 'refresh_token')).toEqual(['authorization_code'])
    expect(textOf(await stageOf(mcp).one('mcp__vault__echo', { text: 'in' }))).toBe('in')
    expect(mcp.status()[0]).not.toHaveProperty('authorization_url')
  })

  test('is asked once, however long no user comes', async () => {
    const { url } = await serveBehindOAuth()
    const mcp = begin(url)
    await until(mcp, needsAuth(mcp))
    const before = mcp.status()[0]?.authorization_url
    for (let attempt = 0; attempt < 3; attempt++)
      await new Promise<void>(resolve => {
        const end = mcp.subscribe(() => {
          end()
          resolve()
        })
      })
    expect(mcp.status()[0]?.authorization_url).toBe(before)
  })

  test('rejects a foreign callback, and accepts the right one afterwards', async () => {
    const { url } = await serveBehindOAuth()
    const mcp = begin(url)
    await until(mcp, needsAuth(mcp))
    const query = await browse(mcp)
    expect(await mcp.finishSignIn(new URLSearchParams({ code: 'x', state: 'guessed' }))).toBeUndefined()
    expect(await mcp.finishSignIn(query)).toBe('vault')
    expect(await mcp.finishSignIn(query)).toBeUndefined()
  })

  test('that rejects gives the reason, and starts again', async () => {
    const { url } = await serveBehindOAuth()
    const mcp = begin(url)
    await until(mcp, needsAuth(mcp))
    const first = mcp.status()[0]?.authorization_url
    const state = (await browse(mcp)).get('state') ?? ''
    await expect(
      mcp.finishSignIn(new URLSearchParams({ state, error: 'access_denied', error_description: 'No.' })),
    ).rejects.toThrow('No.')
    await until(mcp, () => needsAuth(mcp)() && mcp.status()[0]?.authorization_url !== first)
    await mcp.finishSignIn(await browse(mcp))
    await until(mcp, isReady(mcp))
  })

  test('renews an expired token without a user', async () => {
    const fake = await serveBehindOAuth()
    const mcp = await signedIn(fake.url)
    fake.revoke()
    expect(textOf(await stageOf(mcp).one('mcp__vault__echo', { text: 'again' }))).toBe('again')
    expect(fake.seen.grants.slice(0, 2)).toEqual(['authorization_code', 'refresh_token'])
    expect(fake.seen.grants.filter(grant => grant === 'authorization_code')).toHaveLength(1)
  })

  test('uses a refresh token once, however many requests find that it is needed', async () => {
    const used: string[] = []
    const renew = refreshOnce(async (_, init) => {
      used.push(String(init?.body))
      await new Promise(resolve => setImmediate(resolve))
      return Response.json({ access_token: `for ${used.length}` })
    })
    const ask = async (token: string) => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token })
      return await (await renew('http://127.0.0.1/token', { method: 'POST', body })).json()
    }
    expect(await Promise.all([ask('a'), ask('a'), ask('a')])).toEqual(
      Array(3).fill({ access_token: 'for 1' }),
    )
    expect(await ask('a')).toEqual({ access_token: 'for 1' })
    expect(await ask('b')).toEqual({ access_token: 'for 2' })
    expect(used).toHaveLength(2)
  })

  test('needs a user again when nothing renews it, and the call says so', async () => {
    const fake = await serveBehindOAuth()
    const mcp = await signedIn(fake.url)
    fake.revoke(true)
    const call = await stageOf(mcp).one('mcp__vault__echo', { text: 'x' })
    expect(codeOf(call)).toBe('mcp_auth')
    expect(textOf(call)).toContain('sign in')
    expect(call.outcome?.failure?.details).toMatchObject({
      authorization_url: expect.stringContaining('/authorize'),
    })
    await mcp.finishSignIn(await browse(mcp))
    await until(mcp, isReady(mcp))
  })

  test('remembers the sign-in over a restart', async () => {
    const fake = await serveBehindOAuth()
    await (await signedIn(fake.url)).close()
    const mcp = begin(fake.url)
    await until(mcp, isReady(mcp))
    expect(fake.seen.registrations).toBe(1)
    expect(fake.seen.grants.filter(grant => grant === 'authorization_code')).toHaveLength(1)
  })

  test('removes it on request', async () => {
    const fake = await serveBehindOAuth()
    const mcp = await signedIn(fake.url)
    expect(await mcp.signOut('vault')).toBe(true)
    expect(await mcp.signOut('other')).toBe(false)
    await mcp.close()
    const next = begin(fake.url)
    await until(next, needsAuth(next))
  })

  test('is refused when its metadata names another issuer than it was found at, unless the configuration allows it', async () => {
    const { url, seen } = await serveBehindOAuth('/other')
    const strict = begin(url)
    await until(strict, () => strict.status()[0]?.error !== undefined)
    expect(strict.status()[0]?.error).toMatch(/issuer/i)
    expect(strict.status()[0]).not.toHaveProperty('authorization_url')
    expect(seen.registrations).toBe(0)
    const lax = begin(url, { oauth: { anyIssuer: true } })
    await until(lax, needsAuth(lax))
    expect(lax.status()[0]?.authorization_url).toContain('/authorize')
  })

  test('is never signed in at when the configuration forbids it or brings its own key', async () => {
    const { url, seen } = await serveBehindOAuth()
    for (const more of [{ oauth: false }, { headers: { Authorization: 'Bearer mine' } }]) {
      const mcp = begin(url, more)
      await until(mcp, () => mcp.status()[0]?.state === 'waiting')
      expect(mcp.status()[0]?.error).toBeDefined()
    }
    expect(seen.registrations).toBe(0)
  })
})

describe('the store of sign-ins', () => {
  test('is encrypted, and its key is for the owner alone', async () => {
    const { url } = await serveBehindOAuth()
    await signedIn(url)
    const files = readdirSync(folder).filter(name => name !== 'processes')
    expect(files.sort()).toEqual(['key', 'sign-ins'])
    for (const name of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'sign-ins')).toString('latin1')).not.toMatch(/token|client|Bearer/)
  })

  test('that was tampered with is treated as missing', async () => {
    const path = join(folder, 'sign-ins')
    await createCredentialStore(path).set('a', { tokens: { access_token: 't', token_type: 'Bearer' } })
    expect((await createCredentialStore(path).get('a')).tokens?.access_token).toBe('t')
    const bytes = readFileSync(path)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(path, bytes)
    expect(await createCredentialStore(path).get('a')).toEqual({})
  })

  test('loses nothing when servers change it at the same time', async () => {
    const path = join(folder, 'sign-ins')
    const store = createCredentialStore(path)
    const names = Array.from({ length: 20 }, (_, i) => `s${i}`)
    await Promise.all(
      names.map(name => store.set(name, { tokens: { access_token: name, token_type: 'Bearer' } })),
    )
    const again = createCredentialStore(path)
    for (const name of names) expect((await again.get(name)).tokens?.access_token).toBe(name)
  })
})

test('an unopened address is offered for ten minutes, and a new one after that', async () => {
  let now = 0
  const opened: string[] = []
  const signIn = createSignIn({
    server: 'vault',
    config: { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} },
    store: createCredentialStore(join(folder, 'sign-ins')),
    redirectUrl: () => REDIRECT,
    onUrl: url => opened.push(url),
    now: () => now,
  })
  const hand = (url: string) => signIn.provider.redirectToAuthorization(new URL(url))
  expect(signIn.url()).toBeUndefined()
  await hand('http://127.0.0.1:9/authorize?n=1')
  now = 10 * 60_000 - 1
  expect(signIn.url()).toBe('http://127.0.0.1:9/authorize?n=1')
  now += 1
  expect(signIn.url()).toBeUndefined()
  await hand('http://127.0.0.1:9/authorize?n=2')
  expect(signIn.url()).toBe('http://127.0.0.1:9/authorize?n=2')
  expect(opened).toHaveLength(2)
})
