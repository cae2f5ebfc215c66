/** Two owners on one server: conversations of the Responses API, and what its clients carry for the server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let alpha: string
let beta: string
beforeAll(async () => {
  server = await startKeyServer()
  alpha = await server.newKey({ owner: 'alpha' })
  beta = await server.newKey({ owner: 'beta' })
})
afterAll(() => server.close())

test('a neighbor cannot continue a response or refer to its items', async () => {
  const ask = async (key: string, body: object) =>
    (await server.as(key, 'POST', '/v1/responses', { model: 'demo', ...body })).body
  const first = await ask(alpha, { input: 'echo' })
  const before = await server.store.read(first.session_id, 0, 10_000)
  const previous = { input: 'echo', previous_response_id: first.id }
  expect((await ask(beta, previous)).error.code).toBe('previous_response_not_found')
  for (const id of [first.output[0].id, `msg_${first.session_id}_0_0`]) {
    const body = {
      input: [
        { type: 'item_reference', id },
        { role: 'user', content: 'echo' },
      ],
    }
    expect((await ask(beta, body)).error.param).toBe('input.0')
    expect((await ask(alpha, body)).status).toBe('completed')
  }
  expect(await server.store.read(first.session_id, 0, 10_000)).toEqual(before)
  expect((await ask(alpha, previous)).status).toBe('completed')
})

test('a neighbor cannot see, change or use a conversation', async () => {
  const start = { items: [{ role: 'user', content: 'x' }] }
  const { id } = (await server.as(alpha, 'POST', '/v1/conversations', start)).body
  const path = `/v1/conversations/${id}`
  const [item] = (await server.as(alpha, 'GET', `${path}/items`)).body.data
  for (const [method, at, body] of [
    ['GET', path],
    ['POST', path, { metadata: {} }],
    ['DELETE', path],
    ['GET', `${path}/items`],
    ['POST', `${path}/items`, start],
    ['GET', `${path}/items/${item.id}`],
    ['POST', '/v1/responses', { model: 'demo', input: 'x', conversation: id }],
  ] as const)
    expect((await server.as(beta, method, at, body)).status, `${method} ${at}`).toBe(404)
  expect((await server.as(alpha, 'GET', `${path}/items`)).body.data).toHaveLength(1)
})

test('a neighbor cannot open what the server sealed for its client', async () => {
  const input = [{ role: 'user', content: 'echo' }, { type: 'compaction_trigger' }]
  const { output } = (await server.as(alpha, 'POST', '/v1/responses', { model: 'demo', input })).body
  const taken = { model: 'demo', input: [...output, { role: 'user', content: 'echo' }] }
  const send = async (key: string) => (await server.as(key, 'POST', '/v1/responses', taken)).body
  expect((await send(alpha)).warnings).toBeUndefined()
  expect((await send(beta)).warnings).toMatchObject([{ code: 'invalid_encrypted_content' }])
})

test('providers can distinguish owners, and learn no names', async () => {
  const identifierOf = async (key: string, more: object = {}) => {
    const body = { model: 'demo', input: 'echo', ...more }
    const { session_id } = (await server.as(key, 'POST', '/v1/responses', body)).body
    const log = await server.store.read(session_id, 0, 10_000)
    const run = log.find(({ ev }) => ev.type === 'run.started')?.ev
    return run?.type === 'run.started' ? run.options?.['safety_identifier'] : undefined
  }
  const first = await identifierOf(alpha)
  expect(first).toMatch(/^[\w-]{20,64}$/)
  expect(first).not.toContain('alpha')
  expect(await identifierOf(alpha)).toBe(first)
  expect(await identifierOf(beta)).not.toBe(first)
  expect(await identifierOf(beta, { safety_identifier: 'own' })).toBe('own')
})

test('a neighbor who sends the same turn of codex word for word gets another response', async () => {
  const body = { model: 'demo', input: 'echo', client_metadata: { turn_id: 't' } }
  const ask = async (key: string) => (await server.as(key, 'POST', '/v1/responses', body)).body
  const first = await ask(alpha)
  const other = await ask(beta)
  expect(other.status).toBe('completed')
  expect(other.session_id).not.toBe(first.session_id)
  expect((await ask(alpha)).id).toBe(first.id)
})
