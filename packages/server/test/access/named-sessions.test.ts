/** Naming a session on the vendor wires reveals nothing of other owners: their ids look like unused ones. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let alpha: string
let beta: string
beforeEach(async () => {
  server = await startKeyServer()
  alpha = await server.newKey({ owner: 'alpha' })
  beta = await server.newKey({ owner: 'beta' })
})
afterEach(() => server.close())

const user = { role: 'user', content: 'echo' }

interface Asked {
  readonly path: string
  readonly stream?: boolean
  readonly inBody?: boolean
}

async function ask(key: string, name: string, { path, stream = false, inBody = false }: Asked) {
  const body = {
    model: 'demo',
    max_tokens: 10,
    messages: [user],
    stream,
    ...(inBody ? { metadata: { session_id: name } } : {}),
  }
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(inBody ? {} : { 'x-session-id': name }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

/** What a caller can compare: everything but ids and dates. */
const shapeOf = ({ status, headers, text }: Awaited<ReturnType<typeof ask>>) => ({
  status,
  headers: [...headers.keys()].sort(),
  text: text.replaceAll(/"(id|created)":("[^"]*"|\d+)/g, '"$1":"…"').replaceAll(/^id: .*$/gm, 'id: …'),
})

const WAYS: readonly (readonly [string, Asked])[] = [
  ['OpenAI', { path: '/v1/chat/completions' }],
  ['OpenAI, streamed', { path: '/v1/chat/completions', stream: true }],
  ['OpenAI, in the metadata', { path: '/v1/chat/completions', inBody: true }],
  ['Anthropic', { path: '/v1/messages' }],
]

describe.each(WAYS)('a session that a request names (%s)', (_, way) => {
  it('is like an unknown one when it is of another owner, made by naming it, by the API, or deleted', async () => {
    await ask(alpha, 'support', way)
    const made = (await server.as(alpha, 'POST', '/api/sessions', {})).body.id
    const gone = (await server.as(alpha, 'POST', '/api/sessions', {})).body.id
    await server.as(alpha, 'DELETE', `/api/sessions/${gone}`)
    const unknown = await ask(beta, 'never-used-before', way)
    for (const name of ['support', made, gone]) {
      const answer = await ask(beta, name, way)
      expect(shapeOf(answer)).toEqual(shapeOf(unknown))
      const id = answer.headers.get('x-session-id') ?? ''
      // Neither adopted nor refused: it is the caller's own, found again by its name.
      expect(id === name).toBe(unknown.headers.get('x-session-id') === 'never-used-before')
      expect((await ask(beta, name, way)).headers.get('x-session-id')).toBe(id)
      expect((await server.as(beta, 'GET', `/api/sessions/${id}`)).status).toBe(200)
      expect((await server.as(alpha, 'GET', `/api/sessions/${id}`)).status).toBe(404)
    }
  })

  it('continues under its name for every key of its owner', async () => {
    const first = await ask(alpha, 'support', way)
    const second = await ask(await server.newKey({ owner: 'alpha' }), 'support', way)
    expect(second.headers.get('x-session-id')).toBe(first.headers.get('x-session-id'))
    const events = await server.store.read(first.headers.get('x-session-id') ?? '', 0, 1000)
    expect(events.filter(rec => rec.ev.type === 'input.message')).toHaveLength(2)
  })
})
