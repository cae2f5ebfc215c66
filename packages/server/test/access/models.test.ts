/** Models per key, token and claim: none but these is listed, taken or asked, on any wire. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthSettings } from '../../src/index.ts'
import { AUDIENCE, ISSUER, startIssuer, type TestIssuer } from './jwt/issuer.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let issuer: TestIssuer
beforeEach(async () => {
  issuer = await startIssuer()
  const jwt = { issuer: ISSUER, audience: AUDIENCE, models: ['cheap'], claims: { models: 'plan.models' } }
  server = await startKeyServer(
    { listModels: () => ['dear', 'cheap', 'house/one'], currentModel: () => 'dear' },
    { auth: { settings: AuthSettings.parse({ jwt: [jwt] }), readDocument: issuer.readDocument } },
  )
})
afterEach(() => server.close())

const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id)
const listed = async (key: string) => {
  const own = await server.as(key, 'GET', '/api/models')
  const { models } = (await server.as(key, 'GET', '/api/models?also=secret')).body
  expect(idsOf(models)).toEqual(idsOf(own.body.models))
  return [own.body.default, ...idsOf(own.body.models)]
}

describe('a key for one model', () => {
  it('is shown no other, and begins sessions with it', async () => {
    const key = await server.newKey({ models: ['cheap'] })
    expect(await listed(key)).toEqual(['cheap', 'cheap'])
    expect(idsOf((await server.as(key, 'GET', '/v1/models')).body.data)).toEqual(['cheap'])
    expect((await server.as(key, 'GET', '/v1/models/cheap')).status).toBe(200)
    expect((await server.as(key, 'GET', '/v1/models/dear')).status).toBe(403)
    expect((await server.as(key, 'POST', '/api/sessions', {})).body.model).toBe('cheap')
    expect((await server.as(key, 'GET', '/api/me')).body.models).toEqual(['cheap'])
  })

  const messages = [{ role: 'user', content: 'echo' }]
  const WAYS: Readonly<
    Record<string, (model: string, session: string) => readonly [string, string, object]>
  > = {
    'a new session': model => ['POST', '/api/sessions', { model }],
    'a changed session': (model, id) => ['PATCH', `/api/sessions/${id}`, { model }],
    'a message': (model, id) => ['POST', `/api/sessions/${id}/messages`, { message: 'echo', model }],
    'a chat': (model, session_id) => ['POST', '/api/chat/stream', { session_id, message: 'echo', model }],
    'a fallback': (_, session_id) => [
      'POST',
      '/api/chat/stream',
      { session_id, message: 'echo', fallback_models: ['dear'] },
    ],
    'an answer once more': (model, id) => ['POST', `/api/sessions/${id}/regenerate`, { model }],
    'an agent': model => ['POST', '/api/agents', { name: 'helper', model }],
    'a thread': model => ['POST', '/v4/response', { input: 'echo', model }],
    'a prepared thread': model => ['POST', '/v4/prepare', { input: 'echo', model }],
    'OpenAI Chat Completions': model => ['POST', '/v1/chat/completions', { model, messages }],
    'OpenAI Responses': model => ['POST', '/v1/responses', { model, input: 'echo' }],
    'Anthropic Messages': model => ['POST', '/v1/messages', { model, max_tokens: 9, messages }],
    'a count of tokens': model => ['POST', '/v1/messages/count_tokens', { model, messages }],
  }
  it.each(Object.keys(WAYS))('gets no other by %s, and no model is asked', async name => {
    const key = await server.newKey({ models: ['cheap'] })
    const { id } = (await server.as(key, 'POST', '/api/sessions', {})).body
    await (await server.chat({ session_id: id, message: 'echo' }, { authorization: `Bearer ${key}` })).text()
    const calls = server.model.calls()
    const [method, path, body] = WAYS[name]?.('dear', id) ?? ['', '', {}]
    const refused = await server.as(key, method, path, body)
    expect({ name, status: refused.status, text: JSON.stringify(refused.body) }).toMatchObject({
      status: 403,
      text: expect.stringContaining('dear'),
    })
    expect(server.model.calls()).toBe(calls)
  })

  it('runs nothing in a session that has another, and a copy has the same bound', async () => {
    const chief = await server.newKey({})
    const { id } = (await server.as(chief, 'POST', '/api/sessions', { model: 'dear' })).body
    const key = await server.newKey({ models: ['cheap'] })
    const say = async (session_id: string): Promise<string> =>
      await (await server.chat({ session_id, message: 'echo' }, { authorization: `Bearer ${key}` })).text()
    expect(await say(id)).toContain('does not allow the model dear')
    const copy = (await server.as(key, 'POST', `/api/sessions/${id}/fork`, {})).body.id
    expect(await say(copy)).toContain('does not allow the model dear')
    expect(server.model.calls()).toBe(0)
  })

  it('gives to other keys and tokens no more', async () => {
    const key = await server.newKey({ models: ['cheap', 'house/*'], scopes: ['admin', 'tokens'] })
    const give = async (models: unknown) => [
      (await server.as(key, 'POST', '/api/keys', { name: 'k', models })).status,
      (await server.as(key, 'POST', '/api/tokens', { owner: 'alice', models: models ?? undefined })).status,
    ]
    expect(await give(['cheap', 'house/one'])).toEqual([201, 201])
    expect(await give(['dear'])).toEqual([403, 403])
    expect(await give(['*'])).toEqual([403, 403])
    expect((await server.as(key, 'POST', '/api/keys', { name: 'k', models: null })).status).toBe(403)
    expect((await server.as(key, 'POST', '/api/keys', { name: 'k' })).body.models).toEqual([
      'cheap',
      'house/*',
    ])
  })
})

it('a token keeps the models that its key still has', async () => {
  const key = await server.newKey({ models: ['cheap', 'dear'], scopes: ['read', 'write', 'tokens'] })
  const make = async (more: object): Promise<string> =>
    (await server.as(key, 'POST', '/api/tokens', { owner: 'alice', ...more })).body.token
  expect(await listed(await make({}))).toEqual(['dear', 'dear', 'cheap'])
  const narrow = await make({ models: ['cheap'] })
  expect(await listed(narrow)).toEqual(['cheap', 'cheap'])
  const refused = await server.as(narrow, 'POST', '/api/sessions', { model: 'dear' })
  expect(refused.status).toBe(403)
})

it('a claim names models, and without it the settings of the issuer do', async () => {
  expect(await listed(await issuer.sign({ plan: { models: ['dear', 'house/one'] } }))).toEqual([
    'dear',
    'dear',
    'house/one',
  ])
  expect(await listed(await issuer.sign())).toEqual(['cheap', 'cheap'])
  const empty = await issuer.sign({ plan: { models: [] } })
  expect((await server.as(empty, 'GET', '/api/models')).body.models).toEqual([])
  expect((await server.as(empty, 'POST', '/api/sessions', { model: 'cheap' })).status).toBe(403)
})
