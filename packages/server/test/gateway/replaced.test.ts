/** Which differences continue a waiting session, and that a session that is replaced waits no more. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

type Message = Record<string, unknown>
type Headers = Record<string, string>

const user = (content: string): Message => ({ role: 'user', content })
const system = (content: string): Message => ({ role: 'system', content })
const result = (tool_call_id: string, content: string): Message => ({ role: 'tool', tool_call_id, content })
const weather = chatTool('weather')
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, exact: { type: 'boolean', default: false } },
}
const tools = [{ ...weather, function: { ...weather.function, parameters } }, chatTool('news')]

async function ask(messages: readonly Message[], more: object = {}, headers: Headers = {}) {
  const body = { model: 'demo', messages, tools, ...more }
  const response = await gateway.post('/v1/chat/completions', body, headers)
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  const answer = (await response.json()) as any
  await gateway.settled()
  return {
    status: response.status,
    session: response.headers.get('x-session-id') ?? '',
    message: answer.choices?.[0].message,
    error: answer.error,
    warnings: (answer.warnings ?? []).map((warning: { code: string }) => warning.code),
  }
}

const PROMPT = 'You help. It is 10:15 on 2026-11-18.'

async function waiting(text = 'call weather@Paris', headers: Headers = {}) {
  const asked = [system(PROMPT), user(text)]
  const first = await ask(asked, {}, headers)
  const calls: readonly { id: string; function: { name: string } }[] = first.message.tool_calls
  return { session: first.session, asked, message: first.message, call: calls[0]?.id ?? '', calls }
}

/** The assistant message with other arguments. */
const withArguments = (message: Message, text: string): Message => ({
  ...message,
  tool_calls: (message['tool_calls'] as { function: object }[]).map(call => ({
    ...call,
    function: { ...call.function, arguments: text },
  })),
})

const pending = async (): Promise<readonly unknown[]> => (await gateway.get('/api/pending')).pending
const sessions = async (): Promise<number> => (await gateway.store.list({ limit: 100 })).items.length

type Waiting = Awaited<ReturnType<typeof waiting>>

describe('a waiting session continues, although its client', () => {
  test.each<[string, (w: Waiting) => readonly Message[]]>([
    [
      'writes arguments in another way',
      w => [...w.asked, withArguments(w.message, '{ "city" : "P\\u0061ris" }')],
    ],
    ['adds a default', w => [...w.asked, withArguments(w.message, '{"exact":false,"city":"Paris"}')]],
    ['moves a timestamp', w => [system(PROMPT.replace('10:15', '11:20')), ...w.asked.slice(1), w.message]],
    [
      'adds a reminder before the call',
      w => [...w.asked, user('<system-reminder>new</system-reminder>'), w.message],
    ],
    ['adds spaces around the text', w => [...w.asked, { ...w.message, content: ' \n' }]],
  ])('%s', async (_, history) => {
    const before = await waiting()
    const answer = await ask([...history(before), result(before.call, 'sunny')])
    expect(answer).toMatchObject({ session: before.session, warnings: ['history_kept'] })
    expect(gateway.model.requests).toHaveLength(2)
    expect(gateway.model.requests[1]?.messages.slice(0, 3)).toMatchObject([
      { role: 'system', content: [{ text: PROMPT }] },
      { role: 'user', content: [{ text: 'call weather@Paris' }] },
      { role: 'assistant', content: [{ input_text: '{"city":"Paris"}' }] },
    ])
    expect(await sessions()).toBe(1)
    expect(await pending()).toEqual([])
  })

  test('puts a system message after the results, which the model reads there', async () => {
    const { asked, message, call, session } = await waiting()
    const sent = [...asked, message, result(call, 'sunny'), system('be brief')]
    const answer = await ask(sent)
    expect(answer).toMatchObject({ session, warnings: [] })
    expect(gateway.model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', results: [{ output_text: 'sunny' }] },
      { role: 'system', content: [{ text: 'be brief' }] },
    ])
    const again = await ask(sent)
    expect(again.session).toBe(session)
    expect(gateway.model.requests).toHaveLength(2)
    expect(await pending()).toEqual([])
  })

  test('sends a reminder before the call twice: one model call, and the reminder is read once', async () => {
    const { asked, message, call, session } = await waiting()
    const sent = [...asked, user('<info-msg>12:00</info-msg>'), message, result(call, 'sunny')]
    const answers = [await ask(sent), await ask(sent)]
    expect(answers.map(answer => answer.session)).toEqual([session, session])
    expect(gateway.model.requests).toHaveLength(2)
    expect(JSON.stringify(gateway.model.requests[1]).split('<info-msg>')).toHaveLength(2)
  })

  test('brings no tools and no model, and the model may still call them', async () => {
    const { asked, message, call, session } = await waiting()
    const body = { messages: [...asked, message, result(call, 'call news@Oslo')] }
    const response = await gateway.post('/v1/chat/completions', body)
    const { choices } = await response.json()
    expect(response.headers.get('x-session-id')).toBe(session)
    expect(choices[0].message.tool_calls[0].function.name).toBe('news')
    expect(gateway.model.requests[1]).toMatchObject({ tools: [{ name: 'weather' }, { name: 'news' }] })
    expect(gateway.model.requests[1]?.tool_choice).toBeUndefined()
  })

  test('brings no tools and adds a default', async () => {
    const { asked, message, call, session } = await waiting()
    const history = [...asked, withArguments(message, '{"city":"Paris","exact":false}')]
    const answer = await ask([...history, result(call, 'sunny')], { tools: undefined })
    expect(answer).toMatchObject({ session, warnings: ['history_kept'] })
    expect(await pending()).toEqual([])
  })

  test('leaves the id of the one result out', async () => {
    const { asked, message, session } = await waiting()
    const answer = await ask([...asked, message, { role: 'tool', content: 'sunny' }])
    expect(answer).toMatchObject({ session, warnings: [], message: { content: 'got sunny' } })
  })
})

describe('a conversation that replaces a waiting session closes its call', () => {
  test.each<[string, (w: Waiting) => readonly Message[], object]>([
    [
      'another system prompt',
      w => [system('Other.'), ...w.asked.slice(1), w.message, result(w.call, 'x')],
      {},
    ],
    ['other words of the user', w => [w.asked[0] ?? {}, user('edited'), w.message, result(w.call, 'x')], {}],
    [
      'other arguments',
      w => [...w.asked, withArguments(w.message, '{"city":"Rome"}'), result(w.call, 'x')],
      {},
    ],
    [
      'an argument that is not its default',
      w => [...w.asked, withArguments(w.message, '{"city":"Paris","exact":true}'), result(w.call, 'x')],
      {},
    ],
    ['other settings', w => [...w.asked, w.message, result(w.call, 'x')], { temperature: 0.5 }],
    [
      'no tools but other settings',
      w => [...w.asked, w.message, result(w.call, 'x')],
      { tools: undefined, top_p: 0.5 },
    ],
    ['a message instead of the result', w => [...w.asked, w.message, user('say never mind')], {}],
    [
      'a response that another server gave',
      w => [
        ...w.asked,
        w.message,
        result(w.call, 'x'),
        { role: 'assistant', content: 'fine' },
        user('say on'),
      ],
      {},
    ],
  ])('with %s', async (_, messages, more) => {
    const before = await waiting()
    expect(await pending()).toHaveLength(1)
    const answer = await ask(messages(before), more)
    expect(answer.status).toBe(200)
    expect(answer.session).not.toBe(before.session)
    expect(await pending()).toEqual([])
    expect(await gateway.get(`/api/sessions/${before.session}`)).toMatchObject({
      status: 'idle',
      pending: [],
    })
    // The old session was closed without another model call.
    expect(gateway.model.requests).toHaveLength(2)
  })

  test('with several waiting calls, all of them', async () => {
    const { asked, message, calls } = await waiting('call weather@Paris, news@Oslo')
    const results = calls.map(call => result(call.id, 'x'))
    await ask([system('Other.'), ...asked.slice(1), message, ...results])
    expect(await pending()).toEqual([])
    expect(gateway.model.requests).toHaveLength(2)
  })

  test.each(['me', 'you'])('of a thread that is branched, if the key is the same: %s', async key => {
    const ask = async (body: object, owner: string) => {
      const response = await gateway.post(
        '/v1/messages',
        { model: 'demo', max_tokens: 100, ...body },
        { 'x-api-key': owner },
      )
      return { session: response.headers.get('x-session-id') ?? '', ...(await response.json()) }
    }
    const first = await ask(
      {
        thread: { type: 'create' },
        tools: [{ name: 'weather', input_schema: { type: 'object' } }],
        messages: [user('call weather@Paris')],
      },
      'me',
    )
    const content = [{ type: 'tool_result', tool_use_id: first.content[0].id, content: 'sunny' }]
    const thread = { type: 'continue', previous_message_id: first.id }
    const second = await ask({ thread, temperature: 0.5, messages: [{ role: 'user', content }] }, key)
    await gateway.settled()
    expect(second.content).toMatchObject([{ text: 'got sunny' }])
    expect(second.session).not.toBe(first.session)
    expect(await pending()).toHaveLength(key === 'me' ? 0 : 1)
  })

  test('but never one that another key waits for', async () => {
    const mine = { authorization: 'Bearer one' }
    const theirs = { authorization: 'Bearer two' }
    const { asked, message, call, session } = await waiting('call weather@Paris', mine)
    const sent = [...asked, message, result(call, 'stolen')]
    for (const messages of [sent, [system('Other.'), ...sent.slice(1)]]) {
      const answer = await ask(messages, {}, { ...theirs, 'x-session-id': session })
      expect(answer.session).not.toBe(session)
    }
    expect(await pending()).toHaveLength(1)
    expect(await ask([...asked, message, result(call, 'sunny')], {}, mine)).toMatchObject({
      session,
      message: { content: 'got sunny' },
    })
  })

  test('but not with a side request about the open call, which brings no result', async () => {
    const { asked, message, call, session } = await waiting()
    const side = await ask([system('Judge the call.'), ...asked.slice(1), message, user('say safe')])
    expect(side.message.content).toBe('safe')
    expect(side.session).not.toBe(session)
    expect(await pending()).toHaveLength(1)
    expect(await ask([...asked, message, result(call, 'sunny')])).toMatchObject({ session, warnings: [] })
  })

  test('but not when its own results come at the same moment: they win, or are answered elsewhere', async () => {
    const { asked, message, call } = await waiting()
    const sent = [...asked, message, result(call, 'sunny')]
    const answers = await Promise.all([
      ask(sent),
      ask([system('Other.'), ...sent.slice(1)]),
      ask([...asked, message, result(call, 'rainy')]),
    ])
    expect(answers.map(answer => answer.message?.content)).toEqual(['got sunny', 'got sunny', 'got rainy'])
    expect(await pending()).toEqual([])
  })
})

describe('a request that names a session', () => {
  const headers = { 'x-session-id': 'ses_1' }
  const TITLE = [system('You are a title generator.'), user('Generate a title:'), user('say hello')]
  const MAIN = [system('You are an agent.'), user('say hello')]

  test.each([
    ['header', {}, headers],
    ['metadata', { metadata: { session_id: 'ses_1' } }, {}],
  ] as [string, object, Headers][])(
    'by %s and brings instructions has its own conversation',
    async (_, more, named) => {
      const title = await ask(TITLE, more, named)
      const main = await ask(MAIN, more, named)
      expect(title.session).toBe('ses_1')
      expect(main).toMatchObject({ status: 200, warnings: ['session_rebuilt'] })
      expect(main.session).not.toBe('ses_1')
      expect(gateway.model.requests[1]?.messages).toMatchObject([
        { role: 'system', content: [{ text: 'You are an agent.' }] },
        { role: 'user', content: [{ text: 'say hello' }] },
      ])
      const next = await ask([...MAIN, main.message, user('say more')], more, named)
      expect(next.session).toBe(main.session)
      expect(gateway.model.requests[2]?.messages).toHaveLength(4)
      expect(await sessions()).toBe(2)
    },
  )

  test('is not rejected while the named session is busy with another conversation', async () => {
    const leave = new AbortController()
    const body = { model: 'demo', stream: true, messages: [TITLE[0], user('hang')] }
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: leave.signal,
    })
    const response = await gateway.post('/v1/chat/completions', { model: 'demo', messages: MAIN }, headers)
    expect(response.status).toBe(200)
    expect((await response.json()).choices[0].message.content).toBe('hello')
    leave.abort()
    await gateway.model.aborted
  })

  test('at the same moment as another conversation: each gets a session', async () => {
    const answers = await Promise.all([ask(TITLE, {}, headers), ask(MAIN, {}, headers)])
    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    expect(new Set(answers.map(answer => answer.session)).size).toBe(2)
    expect(gateway.model.requests.map(request => request.messages.length).sort()).toEqual([2, 2])
  })
})
