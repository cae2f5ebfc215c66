/** Bodies of very many small things: refused before they are read, in the words of the wire that they came by. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeAll(async () => {
  running = await startServer()
})
afterAll(() => running.close())

const ROUTES: readonly (readonly [path: string, body: object, code: (body: Refusal) => unknown])[] = [
  ['/api/sessions', {}, body => body.error.code],
  ['/api/chat/stream', { session_id: 'a', message: 'hi' }, body => body.error.code],
  ['/v4/response', { input: 'hi' }, body => body.error.code],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }, body => body.error.code],
  ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }, body => body.error.type],
  ['/v1/responses', { input: 'hi' }, body => body.error.code],
]

interface Refusal {
  readonly error: { readonly code?: string; readonly type?: string; readonly message: string }
}

const CODES = [
  'payload_too_large',
  'payload_too_large',
  'PAYLOAD_TOO_LARGE',
  'payload_too_large',
  'request_too_large',
  'payload_too_large',
]

const ask = async (
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: Refusal }> => {
  const { status, body: said } = await running.json('POST', path, body)
  return { status, body: said as Refusal }
}

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

test.each(ROUTES.map((route, n) => [...route, CODES[n]] as const))(
  '%s refuses a body of too many values',
  async (path, body, codeOf, code) => {
    for (const more of [
      { metadata: keys(100_000) },
      keys(100_000),
      { messages: Array(100_000).fill([]) },
      { tools: [{ name: 'a', input_schema: { type: 'object', enum: Array(100_000).fill(0) } }] },
    ]) {
      const answer = await ask(path, { ...body, ...more })
      expect([answer.status, codeOf(answer.body)]).toEqual([413, code])
      expect(answer.body.error.message).toBe('The body has more than 100000 values.')
    }
  },
)

test('a body may hold text that was cut inside a character, but not text that is no Unicode', async () => {
  const title = (unpaired: number) => ask('/api/sessions', { title: 'x', system: '\ud800'.repeat(unpaired) })
  expect((await title(10_000)).status).toBeLessThan(300)
  const refused = await title(10_001)
  expect(refused.status).toBe(400)
  expect(refused.body.error.message).toBe('The body has more than 10000 unpaired surrogates.')
  const paired = await ask('/api/sessions', { title: 'x', system: '😀'.repeat(20_000) })
  expect(paired.status).toBeLessThan(300)
})

test.each(ROUTES.filter(([path]) => path.startsWith('/v1')))(
  '%s refuses too many messages',
  async (path, body) => {
    const messages = Array.from({ length: 4001 }, (_, n) => ({
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: 'a',
    }))
    const field = 'input' in body ? 'input' : 'messages'
    const answer = await ask(path, { ...body, [field]: messages })
    expect(answer.status).toBe(413)
    expect(answer.body.error.message).toBe(`${field}: 4001 entries, at most 4000 are allowed`)
  },
)

const LONG = 'x'.repeat(4_000_001)
const PART = { type: 'input_text', text: LONG }
const CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
test.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: LONG }] }],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: [{ type: 'text', text: LONG }] }] }],
  ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: LONG }] }],
  ['/v1/responses', { input: LONG }],
  ['/v1/responses', { input: [{ role: 'user', content: LONG }] }],
  ['/v1/responses', { input: [{ role: 'user', content: [PART] }] }],
  ['/v1/responses', { input: [{ role: 'assistant', content: LONG }] }],
  ['/v1/responses', { input: [{ type: 'reasoning', summary: [PART] }] }],
  ['/v1/responses', { input: [{ ...CALL, arguments: LONG }] }],
  ['/v1/responses', { input: [CALL, { type: 'function_call_output', call_id: 'c', output: LONG }] }],
  ['/v1/responses', { input: [CALL, { type: 'function_call_output', call_id: 'c', output: [PART] }] }],
] as const)('%s refuses a text that is too long (case %#)', async (path, body) => {
  const answer = await ask(path, body)
  expect([400, 413]).toContain(answer.status)
  expect(answer.body.error.message).toMatch(/4000000/)
})

test.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: LONG.slice(1) }] }],
  ['/v1/responses', { input: LONG.slice(1) }],
  ['/v1/responses', { input: [CALL, { type: 'function_call_output', call_id: 'c', output: LONG.slice(1) }] }],
])('%s takes a text of the length that is allowed', async (path, body) => {
  // The model of this server repeats a result, and its answer is then over the limit of a model.
  expect([200, 502]).toContain((await ask(path, body)).status)
})

const MANY = Array.from({ length: 5 }, () => ({ type: 'text', text: 'x'.repeat(900_000) }))
const DOCUMENT = { type: 'text', media_type: 'text/plain', data: 'x'.repeat(3_000_000) }
const DOCUMENTS = Array.from({ length: 2 }, () => ({ type: 'document', source: DOCUMENT }))
const turn = (content: unknown) => ({ role: 'user', content })
test.each([
  ['/api/chat/stream', { session_id: 'a', message: MANY }],
  ['/v4/response', { input: MANY }],
  ['/v1/chat/completions', { messages: [turn(MANY)] }],
  ['/v1/chat/completions', { messages: MANY.map(({ text }) => turn(text)) }],
  ['/v1/messages', { max_tokens: 9, messages: [turn(MANY)] }],
  ['/v1/messages', { max_tokens: 9, messages: [turn(DOCUMENTS)] }],
  ['/v1/responses', { input: [turn(MANY.map(part => ({ ...part, type: 'input_text' })))] }],
  ['/v1/responses', { input: MANY.map(({ text }) => turn(text)) }],
  ['/api/chat', { id: 'a', messages: [{ id: 'b', role: 'user', parts: MANY }] }],
])('%s refuses a message that is too long with all of its parts (case %#)', async (path, body) => {
  const response = await fetch(`${running.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([400, 413]).toContain(response.status)
  expect(await response.text()).toContain('one message has at most 4000000 characters of text')
})

test.each(ROUTES.filter(([path]) => /^\/v1|^\/api\/sessions$/.test(path)))(
  '%s refuses too much metadata',
  async (path, body) => {
    const answer = await ask(path, { ...body, metadata: keys(257) })
    expect(answer.status).toBe(413)
    expect(answer.body.error.message).toBe('metadata: 257 entries, at most 256 are allowed')
  },
)

test('a history of as many messages as are allowed is answered, though every call in it lacks its result', async () => {
  const calls = Array.from({ length: 3999 }, () => ({
    role: 'assistant',
    function_call: { name: 'f', arguments: '{}' },
  }))
  const messages = [...calls, { role: 'user', content: 'hi' }]
  const { status, body } = await running.json('POST', '/v1/chat/completions', { messages })
  expect(status).toBe(200)
  expect(body.warnings).toHaveLength(101)
  expect(body.warnings.at(-1).code).toBe('more_warnings')
})
