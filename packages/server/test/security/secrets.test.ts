/** Keys that the server knows, and everything that it writes or answers: the one must not be in the other. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Model } from '@toolwire/core'
import { createAnthropicModel, createOpenAiChatModel } from '@toolwire/models'
import { afterEach, describe, expect, it } from 'vitest'
import { keyIdOf, revokeKey } from '../../src/access/api-key.ts'
import { type KeyServer, startKeyServer } from '../access/key-server.ts'
import { type Running, startServer } from '../start-server.ts'

const SECRET = 'sk-proj-Zx81-do-not-show-"this"-Qk27'

let running: Running | undefined
let keyed: KeyServer | undefined
let provider: Server | undefined
afterEach(async () => {
  await running?.close()
  await keyed?.close()
  provider?.closeAllConnections()
  await new Promise<void>(resolve => (provider ? provider.close(() => resolve()) : resolve()))
  running = undefined
  keyed = undefined
  provider = undefined
})

async function serve(answer: RequestListener): Promise<string> {
  provider = createServer(answer)
  await new Promise<void>(resolve => provider?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
}

/** Everything that is stored or sent of a session. */
async function everything(server: Running, session: string): Promise<string> {
  const paths = ['', '/events', '/messages', '/export'].map(end => `/api/sessions/${session}${end}`)
  const answers = await Promise.all(
    [...paths, `/v4/threads/${session}`, `/v4/threads/${session}/events`, '/api/models'].map(async path =>
      (await fetch(server.url + path)).text(),
    ),
  )
  const events = await server.store.read(session, 0, 10_000)
  return [...answers, JSON.stringify(events), ...server.logged].join('\n')
}

const says = `Incorrect API key provided: ${SECRET}.`
const REFUSALS: readonly (readonly [string, RequestListener])[] = [
  [
    'in a refusal',
    (_, response) => {
      const error = { type: 'authentication_error', code: `bad ${SECRET}`, message: says }
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ type: 'error', error }))
    },
  ],
  ['in a refusal that is no JSON', (_, response) => void response.writeHead(401).end(says)],
  [
    'in the middle of a stream',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'x', message: says } })}\n\n`,
      )
    },
  ],
]
const MODELS: readonly (readonly [string, (baseUrl: string) => Model])[] = [
  [
    'OpenAI',
    baseUrl => createOpenAiChatModel({ model: 'm', apiKey: SECRET, baseUrl, retry: { maxRetries: 0 } }),
  ],
  [
    'Anthropic',
    baseUrl => createAnthropicModel({ model: 'm', apiKey: SECRET, baseUrl, retry: { maxRetries: 0 } }),
  ],
]

describe.each(MODELS)('the key of %s', (_, create) => {
  it.each(REFUSALS)(
    'that the provider repeats %s is in no event, answer, export or log',
    async (_where, refuse) => {
      running = await startServer({}, { model: create(await serve(refuse)) })
      const session = await running.newSession()
      const answer = await (await running.chat({ session_id: session, message: 'hello' })).text()
      await running.settled()
      const all = `${answer}\n${await everything(running, session)}`
      expect(all).toContain('run.failed')
      expect(all).not.toContain(SECRET.slice(0, 20))
      expect(all).not.toContain('Qk27')
    },
  )
})

describe('an API key', () => {
  it('is in no event, record, answer, export or log of what was done with it', async () => {
    keyed = await startKeyServer()
    const key = await keyed.newKey({ scopes: ['admin'] })
    const auth = { authorization: `Bearer ${key}` }
    const { id } = (await keyed.as(key, 'POST', '/api/sessions', {})).body
    await (await keyed.chat({ session_id: id, message: 'ask' }, auth)).text()
    const [item] = (await keyed.as(key, 'GET', '/api/pending')).body.pending
    await keyed.as(key, 'POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    await keyed.as(key, 'POST', '/v1/chat/completions', {
      model: 'demo',
      messages: [{ role: 'user', content: 'echo' }],
    })
    await keyed.as(`${key.slice(0, -1)}!`, 'GET', '/api/me')
    const kinds = ['api_key', 'audit', 'spending', 'gateway_receipt']
    const records = await Promise.all(kinds.map(kind => keyed?.records.list(kind)))
    const { items } = await keyed.store.list({ limit: 100 })
    const events = await Promise.all(items.map(row => keyed?.store.read(row.id, 0, 10_000)))
    const me = await keyed.as(key, 'GET', '/api/me')
    const trail = await keyed.as(key, 'GET', '/api/audit')
    const all = JSON.stringify([records, items, events, me.body, trail.body, keyed.logged])
    expect(all).toContain('approval.approved')
    expect(all).not.toContain(key.split('_').slice(2).join('_').slice(0, 12))
    // The id of the key identifies the caller.
    expect(keyed.logged.join('\n')).toContain(`"key":"${key.split('_')[1]}"`)
  })

  it('is not found out by what a refusal says: unknown, wrong, revoked and expired are one answer', async () => {
    keyed = await startKeyServer()
    const { json } = keyed
    const good = await keyed.newKey({})
    const revoked = await keyed.newKey({})
    expect((await json('GET', '/api/me', undefined, { 'x-api-key': good })).status).toBe(200)
    await revokeKey(keyed.records, keyIdOf(revoked) ?? '', new Date())
    const wrong = [
      revoked,
      'tw_000000000000_00000000000000000000000000000000',
      `${good.slice(0, -4)}AAAA`,
      await keyed.newKey({ expires_at: new Date(0).toISOString() }),
      'x',
    ]
    const answers = await Promise.all(
      wrong.map(async key => {
        const { status, body } = await json('GET', '/api/me', undefined, { 'x-api-key': key })
        return JSON.stringify([status, body.error.code, body.error.message])
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('401')
  })
})

describe('a key of a provider that is set while the server runs', () => {
  it('is in no event, record, answer, export or log, whether it was taken or not', async () => {
    const failing = new Error(`cannot write ${SECRET}`)
    const status = { provider: 'acme', name: 'Acme', variable: 'ACME_API_KEY', set: true, stored: true }
    let isBroken = false
    keyed = await startKeyServer({
      providers: {
        list: () => [status],
        put: async () => {
          if (isBroken) throw failing
          return status
        },
        remove: async () => status,
        test: async () => ({ ok: true, models: 1 }),
      },
    })
    const server = keyed
    const key = await server.newKey({ scopes: ['admin'] })
    const plain = SECRET.replaceAll('"', '')
    const put = (body: unknown) => server.as(key, 'PUT', '/api/providers/acme/key', body)
    const answers = [await put({ key: plain }), await put({ key: `${plain} ` }), await put({ key: [plain] })]
    answers.push(await put({ [plain.slice(0, 6)]: 1, key: `a ${plain}` }), await put(`"${plain}`))
    isBroken = true
    answers.push(await put({ key: plain }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400, 400, 500])
    const records = await Promise.all(['api_key', 'audit'].map(kind => server.records.list(kind)))
    const trail = await server.as(key, 'GET', '/api/audit')
    const metrics = await server.as(key, 'GET', '/api/providers')
    const told = [answers.map(({ body }) => body), records, trail.body, metrics.body]
    const all = JSON.stringify([...told, server.logged])
    expect(all).toContain('provider_key.set')
    expect(all).toContain('failed by a bug')
    expect(all).not.toContain('Qk27')
  })
})

describe('the token of a run', () => {
  it('is in no event, record or log of its use, though it is in a path', async () => {
    keyed = await startKeyServer()
    const key = await keyed.newKey({})
    const { run_token } = (await keyed.as(key, 'POST', '/v4/prepare', { input: 'echo' })).body
    const secret = String(run_token).split('.')[1] ?? ''
    expect(secret.length).toBeGreaterThan(15)
    for (let i = 0; i < 2; i++) await (await fetch(`${keyed.url}/v4/response/${run_token}`)).text()
    await keyed.settled()
    const { items } = await keyed.store.list({ limit: 100 })
    const events = await Promise.all(items.map(row => keyed?.store.read(row.id, 0, 10_000)))
    const all = JSON.stringify([events, items, keyed.logged])
    expect(all).toContain('/v4/response/')
    expect(all).not.toContain(secret.slice(0, 12))
  })
})

describe('a bug', () => {
  it('is reported by its request id alone: no stack, no path, no message', async () => {
    running = await startServer({
      explainPermission: async () => {
        throw new Error(`cannot open /srv/toolwire/secret with ${SECRET}`)
      },
    })
    const { status, body } = await running.json('POST', '/api/permissions/explain', { tool: 'Bash' })
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toMatch(/srv|secret|sk-|at .*\.ts/)
    expect(body.error.request_id).toMatch(/./)
  })
})

describe('the address of a shared sign-in', () => {
  it('is shown to the operator alone', async () => {
    const mcp = {
      status: () => [
        { name: 'vault', state: 'needs_auth', authorization_url: 'https://as.example/?state=s' },
      ],
      finishSignIn: async () => undefined,
      signOut: async () => true,
    }
    keyed = await startKeyServer({ mcp })
    const read = async (scopes: ('read' | 'admin')[]) =>
      JSON.stringify((await keyed?.as((await keyed?.newKey({ scopes })) ?? '', 'GET', '/api/mcp'))?.body)
    expect(await read(['admin'])).toContain('as.example')
    expect(await read(['read'])).toContain('needs_auth')
    expect(await read(['read'])).not.toContain('as.example')
  })
})
