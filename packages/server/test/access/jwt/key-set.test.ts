/** Finding, keeping and renewing the keys of an issuer. */
import type { FlattenedJWSInput } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { AuthSettings } from '../../../src/access/jwt/jwt-settings.ts'
import { createKeySet, type KeySet } from '../../../src/access/jwt/key-set.ts'
import { AUDIENCE, ISSUER, newKey, startIssuer, type TestIssuer } from './issuer.ts'

const MINUTE = 60_000
let issuer: TestIssuer
let at: number
let logged: string[]
beforeEach(async () => {
  issuer = await startIssuer()
  at = 0
  logged = []
})

function open(more: object = {}): KeySet {
  const [settings] = AuthSettings.parse({ jwt: [{ issuer: ISSUER, audience: AUDIENCE, ...more }] }).jwt
  if (!settings) throw new Error('there is one')
  const log = (fields: object, message: string): void => void logged.push(message + JSON.stringify(fields))
  const logger = { info: log, error: log }
  return createKeySet({ issuer: settings, readDocument: issuer.readDocument, logger, ticks: () => at })
}
const find = async (keys: KeySet, kid: string): Promise<string> =>
  await keys({ alg: 'ES256', kid }, {} as FlattenedJWSInput).then(
    found => `${found.length} key`,
    error => String(error.code),
  )
const unknown = 'ERR_JWKS_NO_MATCHING_KEY'

describe('discovery', () => {
  it('reads the document, then the key set, once for many tokens', async () => {
    const keys = open()
    expect(await Promise.all(Array.from({ length: 50 }, () => find(keys, 'one')))).toEqual(
      Array.from({ length: 50 }, () => '1 key'),
    )
    expect(issuer.reads).toEqual([`${ISSUER}/.well-known/openid-configuration`, `${ISSUER}/keys`])
  })
  it('is left out where the key set is named', async () => {
    expect(await find(open({ jwks: `${ISSUER}/keys` }), 'one')).toBe('1 key')
    expect(issuer.reads).toEqual([`${ISSUER}/keys`])
  })
  it.each([
    ['names another issuer', { issuer: `${ISSUER}/` }],
    ['names no issuer', { issuer: undefined }],
    ['names no key set', { jwks_uri: undefined }],
    ['leads to http', { jwks_uri: 'http://127.0.0.1:80/keys' }],
    ['leads to a file', { jwks_uri: 'file:///etc/passwd' }],
    ['brings a password', { jwks_uri: 'https://a:b@login.example.com/keys' }],
  ])('that %s is not followed', async (_, change) => {
    Object.assign(issuer.document, change)
    expect(await find(open(), 'one')).toBe('identity_unavailable')
    expect(issuer.reads).toHaveLength(1)
    expect(logged.join()).toContain('could not be read')
  })
  it('that is no JSON, or nested without end, is an outage', async () => {
    for (const jwks of [[], { keys: 7 }, { keys: { a: [[[[[[[[[[]]]]]]]]]] } }, 'text']) {
      issuer.jwks = () => jwks
      expect(await find(open(), 'one')).toBe('identity_unavailable')
    }
  })
})

describe('keys', () => {
  it('that are new are found, and unknown ones make no requests for half a minute', async () => {
    const keys = open()
    expect(await find(keys, 'one')).toBe('1 key')
    issuer.keys.push(await newKey('two'))
    at += MINUTE
    expect(await find(keys, 'two')).toBe('1 key')
    const reads = issuer.reads.length
    for (let i = 0; i < 50; i++) expect(await find(keys, `unknown ${i}`)).toBe(unknown)
    at += 29_000
    expect(await find(keys, 'unknown')).toBe(unknown)
    expect(issuer.reads).toHaveLength(reads)
    at += 2000
    expect(await find(keys, 'unknown')).toBe(unknown)
    expect(issuer.reads.length).toBeGreaterThan(reads)
  })
  it('that are gone from the set are refused after ten minutes', async () => {
    const keys = open()
    expect(await find(keys, 'one')).toBe('1 key')
    issuer.keys.splice(0, 1, await newKey('two'))
    at += 9 * MINUTE
    expect(await find(keys, 'one')).toBe('1 key')
    at += MINUTE
    expect(await find(keys, 'one')).toBe(unknown)
  })
  it('are used for an hour while the issuer is away, and known again when it is back', async () => {
    const keys = open()
    expect(await find(keys, 'one')).toBe('1 key')
    issuer.outage = new Error('connect ECONNREFUSED')
    at += 59 * MINUTE
    expect(await find(keys, 'one')).toBe('1 key')
    at += MINUTE
    expect(await find(keys, 'one')).toBe('identity_unavailable')
    issuer.outage = undefined
    at += MINUTE
    expect(await find(keys, 'one')).toBe('1 key')
  })
  it('of an issuer that is away from the start are not guessed', async () => {
    issuer.outage = new Error('getaddrinfo ENOTFOUND')
    const keys = open()
    expect(await find(keys, 'one')).toBe('identity_unavailable')
    expect(await find(keys, 'one')).toBe('identity_unavailable')
    expect(issuer.reads).toHaveLength(1)
    issuer.outage = undefined
    at += MINUTE
    expect(await find(keys, 'one')).toBe('1 key')
  })
})
