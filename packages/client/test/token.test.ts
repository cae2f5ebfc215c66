/** Tokens of a callback: one call for many requests, renewed in time and after a refusal. */
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { createTokenSource } from '../src/token-source.ts'
import { broken, fakeFetch, json, refuse } from './fake-fetch.ts'

const pack = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url')
const browserToken = (issued_at: number, expires_at: number): string =>
  `twt_k.${pack({ issued_at, expires_at, owner: 'Zoë' })}.x`
const jsonWebToken = (iat: number, exp: number): string => `e30.${pack({ iat, exp })}.x`

function callback(...tokens: readonly (string | Error)[]) {
  let calls = 0
  return {
    calls: () => calls,
    token: async () => {
      const next = tokens[Math.min(calls++, tokens.length - 1)] ?? ''
      if (next instanceof Error) throw next
      return next
    },
  }
}

describe('a token source', () => {
  for (const [name, first] of [
    ['browser token', browserToken(0, 1_000)],
    ['JSON web token', jsonWebToken(0, 1)],
  ])
    it(`asks for a ${name} once for many requests, and again at four fifths of its life`, async () => {
      let now = 5_000
      const asked = callback(first ?? '', 'next')
      const source = createTokenSource(asked.token, () => now)
      expect(await Promise.all([source.current(), source.current()])).toEqual([first, first])
      now = 5_799
      expect(await source.current()).toBe(first)
      now = 5_800
      expect(await Promise.all([source.current(), source.current()])).toEqual(['next', 'next'])
      expect(asked.calls()).toBe(2)
    })

  it('renews once for all requests that were refused, and asks again after a failure', async () => {
    const asked = callback('one', 'two', new Error('offline'), 'three')
    const source = createTokenSource(asked.token)
    await source.current()
    expect(await Promise.all([source.renew('one'), source.renew('one')])).toEqual(['two', 'two'])
    expect(await source.renew('one')).toBe('two')
    await expect(source.renew('two')).rejects.toThrow('offline')
    expect(await source.current()).toBe('three')
    expect(asked.calls()).toBe(4)
  })
})

describe('a client with tokens', () => {
  const clientOf = (fetch: typeof globalThis.fetch, token: () => Promise<string>) =>
    createClient({ baseUrl: 'http://test', fetch, token, backoff: { baseMs: 1, maxMs: 2 } })

  it('sends the token, and repeats a refused request once with the next one, a message too', async () => {
    const { fetch, seen } = fakeFetch(refuse('unauthorized', 401), () => new Response('data: {}\n\n'))
    const asked = callback('one', 'two')
    await clientOf(fetch, asked.token).send('s', 'hello')
    expect(seen.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer one', 'Bearer two'])
    expect(seen[0]?.headers.get('idempotency-key')).toBe(seen[1]?.headers.get('idempotency-key'))
  })

  it('gives up when the next one is refused too, or is the same', async () => {
    for (const [tokens, requests] of [
      [['one', 'two'], 2],
      [['one'], 1],
    ] as const) {
      const { fetch, seen } = fakeFetch(refuse('unauthorized', 401))
      const refused = clientOf(fetch, callback(...tokens).token).sessions.get('s')
      await expect(refused).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
      expect(seen).toHaveLength(requests)
    }
  })

  it('keeps its token when a provider refuses the key of the server', async () => {
    const { fetch, seen } = fakeFetch(refuse('missing_key', 401))
    const asked = callback('one', 'two')
    await expect(clientOf(fetch, asked.token).sessions.get('s')).rejects.toMatchObject({
      code: 'missing_key',
    })
    expect([seen.length, asked.calls()]).toEqual([1, 1])
  })

  it('says that the callback failed, and sends nothing', async () => {
    const { fetch, seen } = fakeFetch(broken)
    const client = clientOf(fetch, callback(new Error('secret detail')).token)
    const error = await client.send('s', 'x').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'token_failed', status: 0 })
    expect(String(error)).not.toContain('secret')
    expect(seen).toHaveLength(0)
  })

  it('makes tokens and tickets', async () => {
    const { fetch, seen } = fakeFetch(
      json({ token: 'twt_x' }, 201),
      json({ revoked: true }),
      json({ ticket: 't' }, 201),
    )
    const client = createClient({ baseUrl: 'http://test', fetch, apiKey: 'tw_k' })
    expect(await client.tokens.create({ owner: 'alice', minutes: 5 })).toEqual({ token: 'twt_x' })
    await client.tokens.revoke({ owner: 'alice' })
    expect(await client.tokens.ticket('s', '/api/sessions/s/events')).toEqual({ ticket: 't' })
    expect(seen.map(({ url, body }) => [url.pathname, body])).toEqual([
      ['/api/tokens', { owner: 'alice', minutes: 5 }],
      ['/api/tokens/revoke', { owner: 'alice' }],
      ['/api/tickets', { session: 's', path: '/api/sessions/s/events' }],
    ])
  })
})
