/** A page whose token expires while it reads a stream: it renews, resumes, and misses nothing. */

import { afterEach, expect, it } from 'vitest'
import { revokeTokens } from '../../server/src/access/token-records.ts'
import { type KeyServer, startKeyServer } from '../../server/test/access/key-server.ts'
import { createClient } from '../src/index.ts'

let server: KeyServer
afterEach(() => server.close())

it('reads every record once, over the end of its tokens', async () => {
  server = await startKeyServer()
  const minter = await server.newKey({ owner: 'app', scopes: ['admin', 'tokens'] })
  const backend = createClient({ baseUrl: server.url, apiKey: minter })
  const made: string[] = []
  const page = createClient({
    baseUrl: server.url,
    token: async () => {
      const { token } = await backend.tokens.create({ owner: 'alice' })
      made.push(token)
      return token
    },
    backoff: { baseMs: 1, maxMs: 10 },
  })
  const { id } = await page.sessions.create()
  const other = await server.newKey({ owner: 'alice' })
  const seen: number[] = []
  for await (const { seq } of page.events(id)) {
    seen.push(seq)
    if (seen.length === 4) break
    // The token ends in the middle of the stream, and the next event comes afterwards.
    const token = made.at(-1) ?? ''
    await revokeTokens(server.records, { owner: 'alice' }, new Date())
    await expect
      .poll(async () => (await server.as(token, 'GET', '/api/me')).status, { timeout: 100_000 })
      .toBe(401)
    await server.as(other, 'PATCH', `/api/sessions/${id}`, { title: `after ${seq}` })
  }
  expect(seen).toEqual([1, 2, 3, 4])
  expect(made).toHaveLength(4)
  page.close()
})
