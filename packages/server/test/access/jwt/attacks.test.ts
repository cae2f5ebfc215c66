/** Forged and misused JSON web tokens, those of RFC 8725 among them. Every refusal is the same response. */
import { generateKeyPairSync } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthSettings } from '../../../src/index.ts'
import { type Running, startServer } from '../../start-server.ts'
import {
  AUDIENCE,
  ISSUER,
  newKey,
  seconds,
  signWith,
  startIssuer,
  type TestIssuer,
  tokenOf,
} from './issuer.ts'

let issuer: TestIssuer
let server: Running
beforeAll(async () => {
  issuer = await startIssuer()
  issuer.keys.push(await newKey('rsa', 'RS256'))
  const settings = AuthSettings.parse({ jwt: [{ issuer: ISSUER, audience: AUDIENCE, maxAgeS: 3600 }] })
  server = await startServer({}, { auth: { settings, readDocument: issuer.readDocument } })
})
afterAll(() => server.close())

const me = async (token: string) =>
  await server.json('GET', '/api/me', undefined, { authorization: `Bearer ${token}` })

async function expectRefused(token: string, reason?: string): Promise<void> {
  const before = server.logged.length
  const { status, body } = await me(token)
  expect([status, { ...body.error, request_id: '' }]).toEqual([
    401,
    { code: 'unauthorized', message: 'No valid API key was given.', retryable: false, request_id: '' },
  ])
  const logged = server.logged.slice(before).join('\n')
  if (reason !== undefined) expect(logged).toContain(reason)
  for (const part of token.split('.').filter(one => one.length > 20)) expect(logged).not.toContain(part)
}

const rsaKey = () => {
  const [, key] = issuer.keys
  if (!key) throw new Error('there are two keys')
  return key
}
const publicPem = async (): Promise<string> =>
  (await crypto.subtle.exportKey('spki', await importPublic()).then(bytes => Buffer.from(bytes))).toString(
    'base64',
  )
const importPublic = async (): Promise<CryptoKey> =>
  await crypto.subtle.importKey(
    'jwk',
    rsaKey().jwk as JsonWebKey,
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    true,
    ['verify'],
  )

it('lets the holder of a valid token in as the subject, also with two audiences of which one fits', async () => {
  const { status, body } = await me(await issuer.sign({ aud: ['others', AUDIENCE] }))
  expect(status).toBe(200)
  expect(body).toMatchObject({
    owner: 'alice',
    key_id: 'user:alice',
    source: 'jwt',
    scopes: ['read', 'write'],
  })
  expect((await me(await signWith(rsaKey()))).status).toBe(200)
})

describe('a token is refused', () => {
  it('that no key signed, in every spelling of none', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE'])
      for (const signature of ['', 'AAAA'])
        await expectRefused(tokenOf({ alg, kid: 'one' }, await claimsOf(), signature))
  })
  it('that a public key signed as a secret', async () => {
    const pem = `-----BEGIN PUBLIC KEY-----\n${(await publicPem()).replace(/.{64}/g, '$&\n')}\n-----END PUBLIC KEY-----\n`
    for (const secret of [pem, await publicPem(), JSON.stringify(rsaKey().jwk)])
      await expectRefused(
        await signWith({ kid: 'rsa', alg: 'HS256', secret: Buffer.from(secret) }),
        'ERR_JOSE',
      )
  })
  it('whose header brings or names its key', async () => {
    const mine = await newKey('mine')
    const jku = 'https://attacker.example.com/keys'
    const reads = issuer.reads.length
    for (const header of [{ jwk: mine.jwk }, { jku }, { x5u: jku }, { jwk: mine.jwk, kid: 'one' }])
      await expectRefused(await signWith(mine, {}, header))
    expect(issuer.reads.slice(reads).filter(url => url.includes('attacker'))).toEqual([])
  })
  it('that was altered after it was signed', async () => {
    const [header = '', , signature = ''] = (await issuer.sign()).split('.')
    const claims = Buffer.from(JSON.stringify({ ...(await claimsOf()), sub: 'bob' })).toString('base64url')
    await expectRefused(`${header}.${claims}.${signature}`, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED')
    await expectRefused(`${header}.${claims}.`)
  })
  it('whose header has an extension that is unknown here', async () => {
    const parts = (await issuer.sign()).split('.')
    const header = { alg: 'ES256', kid: 'one', crit: ['exp2'], exp2: 1 }
    await expectRefused(tokenOf(header, await claimsOf(), parts[2]))
  })
  const WRONG: readonly (readonly [string, JWTPayload, string])[] = [
    ['of another issuer', { iss: 'https://login.example.com' }, ''],
    ['of an issuer that begins the same', { iss: `${ISSUER}/` }, ''],
    ['for another audience', { aud: 'others' }, 'aud'],
    ['for no audience', { aud: undefined }, 'aud'],
    ['without an end', { exp: undefined }, 'exp'],
    ['with an end that is no number', { exp: 'later' as unknown as number }, 'exp'],
    ['that has expired', { exp: seconds() - 31 }, 'ERR_JWT_EXPIRED'],
    ['that begins later', { nbf: seconds() + 90 }, 'nbf'],
    ['that was issued in the future, as after a clock was set back', { iat: seconds() + 90 }, 'iat'],
    ['that is older than allowed', { iat: seconds() - 4000 }, 'iat'],
    ['without the time of its issue where its age is bounded', { iat: undefined }, 'iat'],
    ['without a subject', { sub: undefined }, 'sub'],
    ['with an empty subject', { sub: '' }, 'names no owner'],
    ['with a subject that is no text', { sub: { toString: 'alice' } as unknown as string }, 'names no owner'],
    ['with a subject of 256 characters', { sub: 'a'.repeat(256) }, 'names no owner'],
    ['with a subject that holds NUL', { sub: 'alice\0' }, 'names no owner'],
    ['whose subject is the operator', { sub: 'default' }, 'names no owner'],
    ['with claims that are nested too deeply', { deep: [[[[[[[[[1]]]]]]]]] }, 'unreadable'],
    ['of more than 8 kB', { filler: 'a'.repeat(8192) }, 'unreadable'],
  ]
  it.each(WRONG)('%s', async (_, claims, reason) => {
    await expectRefused(await issuer.sign(claims), reason)
  })
  it('whose key id is 10 kB long, and reads nothing', async () => {
    const reads = issuer.reads.length
    await expectRefused(await issuer.sign({}, { kid: 'k'.repeat(10_000) }), 'unreadable')
    expect(issuer.reads).toHaveLength(reads)
  })
  it('that is encrypted, cut, doubled, or not a token at all', async () => {
    const token = await issuer.sign()
    const parts = token.split('.')
    for (const text of [
      `${token}.${parts[1]}.${parts[2]}`,
      parts.slice(0, 2).join('.'),
      `${token}.${token}`,
      'eyJ.eyJ.eyJ',
      tokenOf([], []),
      tokenOf('ES256', 'alice'),
      tokenOf({ alg: 'ES256' }, null),
    ])
      await expectRefused(text)
  })
  it('that comes as an API key would, twice, or in the query', async () => {
    const token = await issuer.sign()
    const twice = { authorization: `Bearer ${token}, Bearer ${token}` }
    expect((await server.json('GET', '/api/me', undefined, twice)).status).toBe(400)
    expect((await server.json('GET', `/api/me?access_token=${token}`)).status).toBe(400)
    expect((await server.json('GET', '/api/me')).status).toBe(401)
    const header = await server.json('GET', '/api/me', undefined, { 'x-api-key': token })
    expect(header).toMatchObject({ status: 200, body: { owner: 'alice' } })
  })
})

describe('a key set', () => {
  it('gives no private and no symmetric key away for use, and says so in the log', async () => {
    const own = await startIssuer()
    const secret = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const leaked = { ...secret.export({ format: 'jwk' }), kid: 'leaked', alg: 'ES256' }
    const shared = { kty: 'oct', kid: 'shared', alg: 'HS256', k: Buffer.from('secret').toString('base64url') }
    own.jwks = () => ({ keys: [leaked, shared, 7, null, { kty: 'RSA' }, ...own.keys.map(({ jwk }) => jwk)] })
    const running = await start(own)
    const ask = askOf(running)
    expect(await ask(await own.sign())).toBe(200)
    const key = await crypto.subtle.importKey(
      'jwk',
      leaked as JsonWebKey,
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign'],
    )
    expect(await ask(await signWith({ kid: 'leaked', alg: 'ES256', secret: key }))).toBe(401)
    expect(await ask(await signWith({ kid: 'shared', alg: 'HS256', secret: Buffer.from('secret') }))).toBe(
      401,
    )
    expect(running.logged.join()).toContain('"ignored":4')
    await running.close()
  })
  it('with two keys of one id tries both, and no other', async () => {
    const own = await startIssuer()
    const [second, stranger] = [await newKey('one'), await newKey('one')]
    own.keys.push(second)
    const running = await start(own)
    const ask = askOf(running)
    expect(await ask(await own.sign())).toBe(200)
    expect(await ask(await signWith(second))).toBe(200)
    expect(await ask(await signWith(stranger))).toBe(401)
    await running.close()
  })
  it('takes a token without a key id when one key fits', async () => {
    expect((await me(await issuer.sign({}, { kid: undefined }))).status).toBe(200)
  })
})

it('asks for the type of an access token, so that an ID token is refused', async () => {
  const own = await startIssuer()
  const running = await start(own, { typ: 'at+jwt' })
  const ask = askOf(running)
  expect(await ask(await own.sign({}, { typ: 'at+jwt' }))).toBe(200)
  expect(await ask(await own.sign({}, { typ: 'JWT' }))).toBe(401)
  expect(await ask(await own.sign())).toBe(401)
  await running.close()
})

it('lets no token of an issuer in by another sign-in, and other tokens do not concern it', async () => {
  const own = await startIssuer()
  const authenticate = () => ({ owner: 'anyone' })
  const settings = AuthSettings.parse({ jwt: [{ issuer: ISSUER, audience: AUDIENCE }] })
  const running = await startServer({}, { auth: { settings, readDocument: own.readDocument }, authenticate })
  const ask = askOf(running)
  expect(await ask(await own.sign({ exp: seconds() - 600 }))).toBe(401)
  expect(await ask(tokenOf({ alg: 'none' }, await claimsOf()))).toBe(401)
  expect(await ask(await own.sign({ iss: 'https://elsewhere.example.com' }))).toBe(200)
  await running.close()
})

async function start(own: TestIssuer, more: object = {}): Promise<Running> {
  const settings = AuthSettings.parse({ jwt: [{ issuer: ISSUER, audience: AUDIENCE, ...more }] })
  return await startServer({}, { auth: { settings, readDocument: own.readDocument } })
}
it('ends open streams with the token, and the run continues', async () => {
  const own = await startIssuer()
  const at = Date.now()
  const settings = AuthSettings.parse({ jwt: [{ issuer: ISSUER, audience: AUDIENCE, clockSkewS: 0 }] })
  const auth = { settings, readDocument: own.readDocument }
  const running = await startServer({}, { auth, now: () => new Date(at) })
  const headers = { authorization: `Bearer ${await own.sign({ iat: at / 1000, exp: at / 1000 + 0.4 })}` }
  const { id } = (await running.json('POST', '/api/sessions', {}, headers)).body
  const stream = await running.chat({ session_id: id, message: 'gate' }, headers)
  expect(stream.status).toBe(200)
  await expect(stream.text()).rejects.toThrow('terminated')
  running.model.open()
  await running.settled()
  const [session] = (await running.store.list({ ids: [id], limit: 1 })).items
  expect(session).toMatchObject({ state: 'idle', labels: { owner: 'alice' } })
  await running.close()
})

const askOf = (running: Running) => async (token: string) =>
  (await running.json('GET', '/api/me', undefined, { authorization: `Bearer ${token}` })).status

const claimsOf = async (): Promise<JWTPayload> =>
  JSON.parse(Buffer.from((await issuer.sign()).split('.')[1] ?? '', 'base64url').toString())
