/** Names of owners as identity providers write them. */
import { afterEach, expect, it } from 'vitest'
import { OwnerName } from '../../src/access/owner-name.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

const NAMES = [
  'auth0|5f7c8ec7c33c6c004bbafe82',
  'google-oauth2|1',
  'https://issuer.example/users/7?x=1#y',
  'org:team',
  'Zoë Müller',
  '山田 太郎',
  'x'.repeat(255),
  '__proto__',
  '../../etc',
]

let server: KeyServer | undefined
afterEach(() => server?.close())

it('are what an identity provider calls people', () => {
  for (const name of NAMES) expect(OwnerName.parse(name)).toBe(name)
})

it('have no invisible characters, no space at their ends, and at most 255 characters', () => {
  for (const name of [
    '',
    ' a',
    'a ',
    'a\0b',
    'a\nb',
    'a\u202eb',
    'a\u200bb',
    'a\u2028b',
    '\ud800',
    'x'.repeat(256),
  ])
    expect(OwnerName.safeParse(name).success, JSON.stringify(name)).toBe(false)
})

it('are the same in either form of Unicode', async () => {
  server = await startKeyServer()
  const composed = await server.newKey({ owner: 'Zo\u00eb' })
  const decomposed = await server.newKey({ owner: 'Zoe\u0308' })
  const { id } = (await server.as(composed, 'POST', '/api/sessions', {})).body
  expect((await server.as(decomposed, 'GET', `/api/sessions/${id}`)).status).toBe(200)
})

it('separate sessions, whatever is in them', async () => {
  const running = await startKeyServer()
  server = running
  const keys = await Promise.all(NAMES.map(owner => running.newKey({ owner })))
  for (const key of keys) await running.as(key, 'POST', '/api/sessions', {})
  for (const key of keys)
    expect((await running.as(key, 'GET', '/api/sessions')).body.sessions).toHaveLength(1)
})
