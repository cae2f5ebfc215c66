/** Clients choose models by id. An id that names a file is for the configuration of the server alone. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

const RECORDING = fileURLToPath(
  new URL('../../demo/test/record/recordings/anthropic-calls.json', import.meta.url),
)

/** Status and code of an unknown model, as each wire says it. */
const EXPECTED = [
  ['/api/chat/stream', 400, '"code":"unknown_model"'],
  // The chats of the AI SDK get plain text.
  ['/api/chat', 400, 'Only the configuration of the server'],
  ['/api/ai/', 400, 'Only the configuration of the server'],
  ['/api/', 400, '"code":"unknown_model"'],
  ['/v4/', 400, '"code":"INVALID_MODEL_CONFIG"'],
  ['/v1/chat/', 404, '"code":"model_not_found"'],
  ['/v1/messages', 404, '"type":"not_found_error"'],
  ['/v1/responses', 404, '"code":"model_not_found"'],
] as const

type Send = (method: string, path: string, body?: unknown, headers?: object) => Promise<Sent>
interface Sent {
  readonly status: number
  readonly text: string
}

const sender =
  (url: string): Send =>
  async (method, path, body, headers) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }

const newSession = async (send: Send): Promise<string> => {
  const { text } = await send('POST', '/api/sessions', {})
  return (JSON.parse(text) as { id: string }).id
}

/** Every way in for a model's id; `session` exists and has the default model. */
const ways = (session: string, model: string): readonly (readonly [string, Parameters<Send>])[] => {
  const messages = [{ role: 'user', content: 'hi' }]
  const chat = { session_id: session, message: 'hi' }
  const fallback = { 'x-fallback-models': `demo,${model}` }
  const list = ['demo', model]
  const page = { id: 'chat', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }] }
  const query = `input=hi&model=${encodeURIComponent(model)}&stream=false`
  return [
    ['a new session', ['POST', '/api/sessions', { model }]],
    ['a changed session', ['PATCH', `/api/sessions/${session}`, { model }]],
    ['a chat message', ['POST', '/api/chat/stream', { ...chat, model }]],
    ['a chat fallback', ['POST', '/api/chat/stream', { ...chat, fallback_models: list }]],
    ['a thread', ['POST', '/v4/response', { input: 'hi', model }]],
    ['a thread fallback', ['POST', '/v4/response', { input: 'hi', fallback_models: list }]],
    ['a prepared thread', ['POST', '/v4/prepare', { input: 'hi', model }]],
    ['a thread in a query', ['GET', `/v4/response?${query}`]],
    ['a completion', ['POST', '/v1/chat/completions', { model, messages }]],
    ['a streamed completion', ['POST', '/v1/chat/completions', { model, messages, stream: true }]],
    ['a completion fallback', ['POST', '/v1/chat/completions', { model: 'demo', messages }, fallback]],
    ['a message', ['POST', '/v1/messages', { model, max_tokens: 10, messages }]],
    ['a message fallback', ['POST', '/v1/messages', { model: 'demo', max_tokens: 10, messages }, fallback]],
    ['a response', ['POST', '/v1/responses', { model, input: 'hi' }]],
    ['a streamed response', ['POST', '/v1/responses', { model, input: 'hi', stream: true }]],
    ['a response fallback', ['POST', '/v1/responses', { model: 'demo', input: 'hi' }, fallback]],
    ['a chat of ai 5', ['POST', '/api/ai/v5/chat', { ...page, model }]],
    ['a chat of ai 7', ['POST', '/api/ai/v7/chat', { ...page, model }]],
    ['a chat of the bare path', ['POST', '/api/chat', { ...page, model }]],
    ['a token count', ['POST', '/v1/messages/count_tokens', { model, messages }]],
  ]
}

test('a client that names a recording gets a typed error on every route', async () => {
  await inFolder(async dir => {
    copyFileSync(RECORDING, join(dir, 'other.json'))
    execFileSync('mkfifo', [join(dir, 'pipe')])
    const server = await launch(dir)
    const send = sender(server.url)
    const session = await newSession(send)
    for (const path of ['/dev/zero', join(dir, 'pipe'), join(dir, 'other.json'), './other.json', ''])
      for (const [way, request] of ways(session, `replay:${path}`)) {
        const { status, text } = await send(...request)
        const [, code, error] = EXPECTED.find(([start]) => request[1].startsWith(start)) ?? ['', 0, '']
        expect(status, `${way} with replay:${path}`).toBe(code)
        expect(text, way).toContain(error)
        expect(text, way).toContain('--model replay:')
      }
    await server.stop()
  })
})

test('a recording that the configuration names is played, also for a client that names the same one', async () => {
  await inFolder(async dir => {
    copyFileSync(RECORDING, join(dir, 'other.json'))
    const server = await launch(dir, ['--port', '0', '--model', 'replay:other.json'])
    const send = sender(server.url)
    const session = await newSession(send)
    for (const named of [{}, { model: 'replay:other.json' }]) {
      const { status, text } = await send('POST', '/api/chat/stream', {
        session_id: session,
        message: 'hi',
        max_turns: 1,
        ...named,
      })
      expect(status).toBe(200)
      expect(text).toContain('"type":"tool_use"')
    }
    const { status } = await send('POST', '/api/sessions', { model: `replay:${join(dir, 'other.json')}` })
    expect(status).toBe(400)
    await server.stop()
  })
})

const AGENT_CALLER = `
const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const input_text = JSON.stringify({ prompt: 'hi', model: 'replay:/dev/zero' })
export const models = { caller: { provider: 'own', id: 'caller', async *stream({ messages }) {
  const last = messages.at(-1)
  const heard = last.role === 'tool' ? last.results[0].output_text : undefined
  yield { type: 'start', provider_message_id: 'm', model: 'caller' }
  if (heard === undefined) yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'c1', name: 'Agent' } }
  else yield { type: 'block-start', index: 0, kind: 'text' }
  yield { type: 'block-delta', index: 0, ...(heard === undefined ? { input_text } : { text: 'heard: ' + heard }) }
  yield { type: 'block-end', index: 0 }
  const finish = heard === undefined ? 'tool_calls' : 'stop'
  yield { type: 'end', stop_reason: finish, finish, usage }
} } }
`

test('an agent that is to work with a recording fails, and the call says why', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'models.mjs'), AGENT_CALLER)
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ modelsModule: 'models.mjs' }))
    const server = await launch(dir)
    const send = sender(server.url)
    const session = await newSession(send)
    const { text } = await send('POST', '/api/chat/stream', {
      session_id: session,
      message: 'hi',
      model: 'caller',
    })
    expect(text).toContain('Only the configuration of the server can name a recording')
    expect(text).toContain('"subtype":"success"')
    await server.stop()
  })
})
