/** Which session answers: found exactly, or rebuilt from the request, never guessed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Rec } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const tools = [chatTool('weather')]
type Message = Record<string, unknown>

async function ask(messages: readonly Message[], more: object = {}, headers: Record<string, string> = {}) {
  const response = await gateway.post(
    '/v1/chat/completions',
    { model: 'demo', messages, tools, ...more },
    headers,
  )
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  const body = (await response.json()) as any
  return {
    body,
    status: response.status,
    session: response.headers.get('x-session-id') ?? '',
    message: body.choices?.[0].message,
    warnings: (body.warnings ?? []).map((warning: { code: string }) => warning.code),
  }
}

const user = (content: string): Message => ({ role: 'user', content })
const result = (tool_call_id: string, content: string): Message => ({ role: 'tool', tool_call_id, content })
const log = (session: string): Promise<readonly Rec[]> => gateway.store.read(session, 0, 10_000)

/** A conversation that waits for one call. */
async function waiting(text = 'call weather@Paris', more: object = {}, headers: Record<string, string> = {}) {
  const first = await ask([user(text)], more, headers)
  const call = first.message.tool_calls[0].id as string
  return { ...first, call, history: [user(text), first.message] }
}

test('results that no session waits for rebuild the conversation, with a warning', async () => {
  const call = { id: 'call_x', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
  const answer = await ask([
    user('what is it like?'),
    { role: 'assistant', content: null, tool_calls: [call] },
    result('call_x', 'cold'),
  ])
  expect(answer.message.content).toBe('got cold')
  expect(answer.warnings).toEqual(['session_rebuilt'])
  expect(gateway.model.requests[0]?.messages).toMatchObject([
    { role: 'user', content: [{ text: 'what is it like?' }] },
    { role: 'assistant', content: [{ type: 'tool_use', call_id: 'call_x', input_text: '{"city":"Oslo"}' }] },
    { role: 'tool', results: [{ call_id: 'call_x', output_text: 'cold', is_error: false }] },
  ])
})

test('a long foreign history is imported exactly, and the next request continues the imported session', async () => {
  const history = [
    { role: 'system', content: 'one' },
    { role: 'system', content: 'two' },
    user('a'),
    { role: 'assistant', content: 'b' },
    user('c'),
    { role: 'system', content: 'three' },
    user('d'),
  ]
  const first = await ask(history)
  expect(gateway.model.requests[0]?.messages.map(message => message.role)).toEqual([
    'system',
    'system',
    'user',
    'assistant',
    'user',
    'system',
    'user',
  ])
  const second = await ask([...history, first.message, user('say more')])
  expect(second.session).toBe(first.session)
  expect(second.message.content).toBe('more')
  expect(second.warnings).toEqual([])
  expect(gateway.model.requests[1]?.messages).toHaveLength(9)
})

test('an unfinished response is continued', async () => {
  const { message } = await ask([user('a'), { role: 'assistant', content: 'It is' }])
  expect(message.content).toBe('went on')
  expect(gateway.model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'assistant' })
})

test('other words before the same call make another session, and signed thinking comes along', async () => {
  const { history, call, session } = await waiting('think and call weather@Paris')
  const answer = await ask([{ role: 'system', content: 'edited' }, ...history, result(call, 'sunny')])
  expect(answer.session).not.toBe(session)
  expect(answer.warnings).toEqual(['session_rebuilt'])
  expect(answer.message.content).toBe('got sunny')
  expect(gateway.model.requests.at(-1)?.messages.at(-2)).toMatchObject({
    provider: 'anthropic',
    content: [{ type: 'thinking', thinking: 'let me see', signature: 'sig-1' }, { type: 'tool_use' }],
  })
})

test('other settings while a session waits take effect at once', async () => {
  const { history, call, session } = await waiting('call weather@Paris', { tool_choice: 'required' })
  const answer = await ask([...history, result(call, 'sunny')], { tool_choice: 'auto' })
  expect(answer.session).not.toBe(session)
  expect(gateway.model.requests.at(-1)?.tool_choice).toEqual({ type: 'auto' })
  const same = await waiting('call weather@Rome', { tool_choice: 'required' })
  const again = await ask([...same.history, result(same.call, 'sunny')], { tool_choice: 'required' })
  expect(again.session).toBe(same.session)
})

test('the same results twice at once get the same answer from one model call', async () => {
  const { history, call, session } = await waiting()
  const messages = [...history, result(call, 'sunny')]
  const [a, b] = await Promise.all([ask(messages), ask(messages)])
  expect([a.session, b.session]).toEqual([session, session])
  expect(a.body.id).toBe(b.body.id)
  expect(gateway.model.requests).toHaveLength(2)
})

test('the same results again get the stored answer', async () => {
  const { history, call, session } = await waiting()
  const messages = [...history, result(call, 'sunny')]
  const first = await ask(messages)
  await ask([...messages, first.message, user('say more')])
  const again = await ask(messages)
  expect([again.session, again.body.id]).toEqual([session, first.body.id])
  expect(gateway.model.requests).toHaveLength(3)
})

test('results whose answer failed are worth asking again with', async () => {
  const { history, call } = await waiting()
  const messages = [...history, result(call, 'flaky')]
  expect((await ask(messages)).status).toBe(503)
  expect((await ask(messages)).message.content).toBe('got flaky')
})

test('different results at once: the first goes into the session, the other gets a separate session', async () => {
  const { history, call, session } = await waiting()
  const answers = await Promise.all(
    ['sunny', 'rainy'].map(content => ask([...history, result(call, content)])),
  )
  expect(answers.map(({ message }) => message.content)).toEqual(['got sunny', 'got rainy'])
  expect(answers.filter(answer => answer.session === session)).toHaveLength(1)
})

test('two further messages at once never meet in one session', async () => {
  const first = await ask([user('say a')])
  const history = [user('say a'), first.message]
  const answers = await Promise.all(['say b', 'say c'].map(text => ask([...history, user(text)])))
  expect(answers.map(({ message }) => message.content)).toEqual(['b', 'c'])
  expect(new Set(answers.map(({ session }) => session)).size).toBe(2)
  for (const request of gateway.model.requests.slice(1)) expect(request.messages).toHaveLength(3)
})

test('a message instead of the results starts from the request, and the model gets a note of what is missing', async () => {
  const { history } = await waiting()
  const answer = await ask([...history, user('say never mind')])
  expect(answer.message.content).toBe('never mind')
  expect(answer.warnings).toEqual(['missing_result'])
  expect(gateway.model.requests.at(-1)?.messages[2]).toMatchObject({
    role: 'tool',
    results: [{ is_error: true }],
  })
})

test('results and a further message at once continue in the waiting session, in one model call', async () => {
  const { history, call, session } = await waiting()
  const messages = [...history, result(call, 'sunny'), user('say thanks'), user(' a lot')]
  const answer = await ask(messages)
  expect(answer).toMatchObject({ session, warnings: [], message: { content: 'thanks a lot' } })
  expect(gateway.model.requests).toHaveLength(2)
  expect(gateway.model.requests[1]?.messages.slice(-2)).toMatchObject([
    { role: 'tool', results: [{ output_text: 'sunny' }] },
    { role: 'user', content: [{ text: 'say thanks' }, { text: ' a lot' }] },
  ])
  const again = await ask(messages)
  expect([again.session, again.body.id]).toEqual([session, answer.body.id])
  expect(gateway.model.requests).toHaveLength(2)
  const more = await ask([...messages, answer.message, user('say bye')])
  expect(more).toMatchObject({ session, message: { content: 'bye' } })
})

test('the same results with another text, or with none, get a separate session', async () => {
  const { history, call, session } = await waiting()
  const said = ['say one', 'say two', undefined]
  const answers = await Promise.all(
    said.map(text => ask([...history, result(call, 'sunny'), ...(text ? [user(text)] : [])])),
  )
  expect(answers.map(({ message }) => message.content)).toEqual(['one', 'two', 'got sunny'])
  expect(answers.filter(answer => answer.session === session)).toHaveLength(1)
  expect(new Set(answers.map(answer => answer.session)).size).toBe(3)
})

test('a result with an image reaches the model in the waiting session', async () => {
  const { history, call, session } = await waiting()
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } }
  const answer = await ask([
    ...history,
    { role: 'tool', tool_call_id: call, content: [{ type: 'text', text: 'see' }, picture] },
  ])
  expect(answer).toMatchObject({ session, warnings: [] })
  expect(gateway.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    results: [{ output_text: 'see', content: [{ type: 'text' }, { type: 'image' }] }],
  })
})

test('repairs are kept in the log', async () => {
  const { session } = await ask([user('a'), result('stray', 'x'), user('say ok')])
  const notes = (await log(session)).flatMap(({ ev }) => (ev.type === 'note' ? [ev] : []))
  expect(notes).toMatchObject([{ name: 'gateway.repairs', value: [{ code: 'orphan_result' }] }])
})

test('callers with different keys never share a session', async () => {
  const mine = await ask([user('say a')], {}, { authorization: 'Bearer one' })
  const theirs = await ask([user('say a'), mine.message, user('say b')], {}, { authorization: 'Bearer two' })
  expect(theirs.session).not.toBe(mine.session)
})

test.each([
  ['the header', {}, { 'x-session-id': 'my-session' }],
  ['the metadata', { metadata: { session_id: 'my-session' } }, {}],
] as [string, object, Record<string, string>][])(
  'a session named by %s is made under that name and remembers',
  async (_, more, headers) => {
    const first = await ask([user('say a')], more, headers)
    expect(first.session).toBe('my-session')
    const second = await ask([user('say b')], more, headers)
    expect(second.session).toBe('my-session')
    expect(gateway.model.requests.at(-1)?.messages).toHaveLength(3)
    const whole = [user('say a'), first.message, user('say b'), second.message, user('say c')]
    expect((await ask(whole, more, headers)).session).toBe('my-session')
    expect(gateway.model.requests.at(-1)?.messages).toHaveLength(5)
    const other = await ask([user('x'), { role: 'assistant', content: 'y' }, user('say d')], more, headers)
    expect(other.session).not.toBe('my-session')
    expect(other.warnings).toEqual(['session_rebuilt'])
  },
)

test('a named waiting session accepts a new message instead, and a running one rejects it', async () => {
  const headers = { 'x-session-id': 'named' }
  await waiting('call weather@Paris', {}, headers)
  const instead = await ask([user('say never mind')], {}, headers)
  expect(instead).toMatchObject({ session: 'named', message: { content: 'never mind' } })
  expect(gateway.model.requests.at(-1)?.messages.map(message => message.role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
  ])
  const leave = new AbortController()
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ stream: true, messages: [user('hang')] }),
    signal: leave.signal,
  })
  expect((await ask([user('say hi')], {}, headers)).status).toBe(409)
  leave.abort()
  await gateway.model.aborted
})

test('a session made through the session API keeps its own tools when it is named', async () => {
  const made = await gateway.post('/api/sessions', { tools: ['Read'] })
  const { id } = (await made.json()) as { id: string }
  const answer = await ask([user('say hi')], {}, { 'x-session-id': id })
  expect(answer).toMatchObject({ session: id, message: { content: 'hi' } })
})

test('sessions on disk are found again after a restart: the waiting one, and the idle one', async () => {
  await gateway.close()
  const dir = await mkdtemp(join(tmpdir(), 'toolwire-gateway-'))
  try {
    let store = await openSqliteStore({ dir })
    gateway = await startGateway({ store })
    const { history, call, session } = await waiting()
    const rested = await ask([user('say a')])
    await gateway.close()
    await store.close()
    store = await openSqliteStore({ dir })
    gateway = await startGateway({ store })
    const answer = await ask([...history, result(call, 'sunny')])
    expect(answer).toMatchObject({ session, warnings: [], message: { content: 'got sunny' } })
    expect((await ask([user('say a'), rested.message, user('say b')])).session).toBe(rested.session)
    await gateway.close()
    await store.close()
  } finally {
    await rm(dir, { recursive: true })
    gateway = await startGateway()
  }
})

test('the old dialect waits, continues by name, and gives its calls one at a time', async () => {
  const functions = [tools[0]?.function]
  const post = async (messages: readonly Message[], stream = false) =>
    await gateway.post('/v1/chat/completions', { model: 'demo', messages, functions, stream })
  const first = await (await post([user('call weather@Paris, weather@Oslo')])).json()
  expect(first.choices[0]).toMatchObject({
    finish_reason: 'function_call',
    message: { content: null, function_call: { name: 'weather', arguments: '{"city":"Paris"}' } },
  })
  expect(gateway.model.requests[0]?.parallel_tool_calls).toBe(false)
  const history = [user('call weather@Paris, weather@Oslo'), first.choices[0].message]
  history.push({ role: 'function', name: 'weather', content: 'sunny' })
  const chunks = await readData(await post(history, true))
  const said = chunks.flatMap(chunk => chunk.choices?.[0].delta.function_call ?? [])
  expect(said[0]).toEqual({ name: 'weather', arguments: '' })
  expect(said.map(call => call.arguments).join('')).toBe('{"city":"Oslo"}')
  expect(chunks.at(-2).choices[0].finish_reason).toBe('function_call')
  expect(chunks.at(-1)).toBe('[DONE]')
  expect(gateway.model.requests).toHaveLength(1)
  history.push({
    role: 'assistant',
    content: null,
    function_call: { name: 'weather', arguments: '{"city":"Oslo"}' },
  })
  history.push({ role: 'function', name: 'weather', content: 'rainy' })
  const last = await (await post(history)).json()
  expect(last.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'got sunny | rainy' } })
})

test('a conversation with calls whose request brings no tools any more is asked with those it had, and none may be called', async () => {
  const { history, call, session } = await waiting()
  const answered = await ask([...history, result(call, 'sunny')])
  const rest = [...history, result(call, 'sunny'), answered.message, user('say bye')]
  expect(await ask(rest, { tools: undefined })).toMatchObject({ session, message: { content: 'bye' } })
  expect(gateway.model.requests.at(-1)).toMatchObject({
    tools: [{ name: 'weather', description: 'The tool weather' }],
    tool_choice: { type: 'none' },
  })
  // The tools of a conversation that was held elsewhere are unknown.
  const elsewhere = JSON.parse(JSON.stringify(rest).replaceAll(call, 'call_elsewhere'))
  await ask(elsewhere, { tools: undefined })
  expect(gateway.model.requests.at(-1)).toMatchObject({ tools: [] })
})

test('imported events are marked as such', async () => {
  const { session } = await ask([user('a'), { role: 'assistant', content: 'b' }, user('say c')])
  const inputs = (await log(session)).flatMap(({ ev }) =>
    ev.type === 'input.message' ? [ev.via?.protocol] : [],
  )
  expect(inputs).toEqual(['import', 'openai-chat'])
  expect((await gateway.get(`/api/sessions/${session}`)).status).toBe('idle')
})
