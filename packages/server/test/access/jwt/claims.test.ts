/** Rights by the claims of a token: owner, scopes, limits and folder, and less where they are missing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthSettings } from '../../../src/access/jwt/jwt-settings.ts'
import { mapClaims } from '../../../src/access/jwt/map-claims.ts'
import { SCOPES } from '../../../src/access/principal.ts'

const issuerOf = (more: object) => {
  const [issuer] = AuthSettings.parse({
    jwt: [{ issuer: 'https://login.example.com', audience: 'agents', ...more }],
  }).jwt
  if (!issuer) throw new Error('there is one')
  return issuer
}
const map = (claims: object, more: object = {}) => mapClaims({ sub: 'alice', ...claims }, issuerOf(more))
const scopes = (...all: readonly object[]) => ({ claims: { scopes: all } })

describe('the owner', () => {
  it('is the subject, and an e-mail address only where that is asked for', () => {
    expect(map({ email: 'a@example.com' })).toMatchObject({ owner: 'alice', id: 'alice' })
    const byMail = { claims: { owner: 'email' } }
    expect(map({ email: 'a@example.com' }, byMail)).toMatchObject({ owner: 'a@example.com', id: 'alice' })
    expect(map({}, byMail)).toBeUndefined()
  })
  it('begins with the prefix of its issuer', () => {
    expect(map({}, { ownerPrefix: 'staff:' })).toMatchObject({ owner: 'staff:alice', id: 'staff:alice' })
    expect(map({ sub: 'default' }, { ownerPrefix: 'staff:' })).toMatchObject({ owner: 'staff:default' })
  })
  it('is never what an object inherits', () => {
    for (const owner of ['__proto__', 'constructor', 'constructor.name', ['toString', 'name'], 'realm.x'])
      expect(map({}, { claims: { owner } })).toBeUndefined()
  })
})

describe('scopes', () => {
  const roles = { 'agent user': ['read', 'write'], approver: ['approve'], chief: ['admin'] }
  it('are reading and writing without a mapping, whatever the token says', () => {
    expect(map({ scope: 'admin approve operator', roles: ['admin'] })?.scopes).toEqual(['read', 'write'])
  })
  it.each([
    ['a list', { roles: ['approver', 'chief', 7, null] }, 'roles'],
    ['words of one text', { roles: 'approver chief' }, 'roles'],
    ['a nested list', { realm_access: { roles: ['approver', 'chief'] } }, 'realm_access.roles'],
    [
      'a name that is an address',
      { 'https://a.example.com/r': ['approver', 'chief'] },
      'https://a.example.com/r',
    ],
    ['a list of names', { 'a.b': { c: ['approver', 'chief'] } }, ['a.b', 'c']],
  ])('come by name from %s', (_, claims, from) => {
    expect(map(claims, scopes({ from, map: roles }))?.scopes).toEqual(['approve', 'admin'])
  })
  it('come from several claims, groups among them', () => {
    const both = scopes({ from: 'scope', map: { use: ['read'] } }, { from: 'groups', map: roles })
    expect(map({ scope: 'use', groups: ['agent user'] }, both)?.scopes).toEqual(['read', 'write'])
  })
  it('are empty where the claim is missing, or says nothing that is known', () => {
    const one = scopes({ from: 'roles', map: roles })
    for (const claims of [
      {},
      { roles: ['guest', '__proto__', 'constructor'] },
      { roles: { chief: true } },
      { roles: 1 },
    ])
      expect(map(claims, one)?.scopes).toEqual([])
  })
  it('never hold what no mapping names, whatever a token holds', () => {
    const one = issuerOf(scopes({ from: 'roles', map: { a: ['read'], b: ['gateway'] } }))
    fc.assert(
      fc.property(fc.object(), fc.anything(), (claims, roles) => {
        const found = mapClaims({ ...claims, sub: 'alice', roles }, one)?.scopes ?? []
        expect(found.every(scope => scope === 'read' || scope === 'gateway')).toBe(true)
      }),
    )
  })
})

describe('limits', () => {
  const issuer = { limits: { requests_per_minute: 10, budget_usd: 5 }, claims: { limits: 'quota' } }
  const least = { requests_per_minute: 10, concurrent: null, budget_usd: 5 }
  it('are those of the claim, and of the settings where it is missing or unusable', () => {
    expect(map({ quota: { budget_usd: 50 } }, issuer)?.limits).toEqual({ ...least, budget_usd: 50 })
    for (const quota of [
      undefined,
      null,
      -1,
      { budget_usd: null },
      { budget_usd: -1 },
      { budget_usd: '9' },
      { more: 1 },
    ])
      expect(map({ quota }, issuer)?.limits).toEqual(least)
  })
})

describe('settings that would let in more than they say are refused', () => {
  const good = { issuer: 'https://login.example.com', audience: 'agents' }
  it.each([
    ['an issuer by http', { ...good, issuer: 'http://login.example.com' }],
    ['an issuer with a password', { ...good, issuer: 'https://a:b@login.example.com' }],
    ['a key set by http', { ...good, jwks: 'http://login.example.com/keys' }],
    ['a file', { ...good, jwks: 'file:///etc/passwd' }],
    ['no audience', { issuer: good.issuer }],
    ['an empty audience', { ...good, audience: '' }],
    ['no audience in a list', { ...good, audience: [] }],
    ['an algorithm with a secret', { ...good, algorithms: ['HS256'] }],
    ['no algorithm', { ...good, algorithms: ['none'] }],
    ['a skew of ten minutes', { ...good, clockSkewS: 600 }],
    ['limits by claim without limits', { ...good, claims: { limits: 'quota' } }],
    ['the scope tokens', { ...good, claims: { scopes: [{ from: 'r', map: { a: ['tokens'] } }] } }],
    ['an unknown scope', { ...good, claims: { scopes: [{ from: 'r', map: { a: ['everything'] } }] } }],
    ['an unknown setting', { ...good, algorithm: 'RS256' }],
  ])('%s', (_, issuer) => {
    expect(AuthSettings.safeParse({ jwt: [issuer] }).success).toBe(false)
  })
  it('two issuers whose users would share owners', () => {
    const other = { ...good, issuer: 'https://other.example.com' }
    const both = (one: object, two: object) =>
      AuthSettings.safeParse({
        jwt: [
          { ...good, ...one },
          { ...other, ...two },
        ],
      }).success
    expect(both({}, {})).toBe(false)
    expect(both({ ownerPrefix: 'a' }, {})).toBe(false)
    expect(both({ ownerPrefix: 'a' }, { ownerPrefix: 'ab' })).toBe(false)
    expect(both({ ownerPrefix: 'a:' }, { ownerPrefix: 'b:' })).toBe(true)
    expect(both({ issuer: other.issuer, ownerPrefix: 'a:' }, { ownerPrefix: 'b:' })).toBe(false)
  })
  it('and plain ones are taken, with http on this machine', () => {
    for (const issuer of ['http://127.0.0.1:9000', 'http://localhost:9000/realms/one', good.issuer])
      expect(AuthSettings.safeParse({ jwt: [{ ...good, issuer }] }).success).toBe(true)
    expect(SCOPES).toContain('tokens')
  })
})
