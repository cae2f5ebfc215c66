/** What a provider offers beyond words and calls, through the whole product: its own tools, pauses, citations, documents, counts. */
import { loadScenario } from '@toolwire/demo'
import { afterEach, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './faults/product.ts'
import { ends, readLog } from './faults/read-log.ts'
import { CITATION, FOUND, SEARCH, searchingModel } from './faults/searching-model.ts'
import { WIRES, type WireName } from './faults/wires.ts'

let stage: Stage
afterEach(async () => await stage.close())

const MODEL = 'claude-opus-4-5'
// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
const sent = (place: number): any => stage.upstream.requests.at(place)?.body

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(stage.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

async function say(message: unknown, options: object = {}): Promise<string> {
  const created = await post('/api/sessions', { model: MODEL, tools: [] })
  const { id } = (await created.json()) as { id: string }
  await (await post('/api/chat/stream', { session_id: id, message, options })).text()
  return id
}

describe('tools that the provider runs itself', () => {
  const tool = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 }

  test('are offered as its API defines them; a pause is continued, and everything goes back as it came', async () => {
    stage = await openStage({ upstream: { model: searchingModel() } })
    const id = await say('did it rain?', { provider_tools: [tool] })
    expect(stage.upstream.requests).toHaveLength(2)
    expect(sent(0).tools).toMatchObject([tool])
    expect(sent(0).tool_choice).toBeUndefined()
    expect(sent(1).messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ ...SEARCH, input: { query: 'rain' } }, FOUND],
    })
    const log = await readLog(stage.url, id)
    expect(ends(log)).toMatchObject([{ type: 'run.completed', result_text: 'It rained.', num_turns: 2 }])
    expect(log.filter(ev => ev.type === 'turn.completed').map(ev => [ev.finish, ev.has_next])).toEqual([
      ['pause', true],
      ['stop', false],
    ])
    const cited = log.flatMap(ev => (ev.type === 'block.completed' ? (ev.citations ?? []) : []))
    expect(cited).toEqual([CITATION])
    // None of it is a call to run here.
    expect(log.some(ev => ev.type === 'tool.started' || ev.type === 'run.paused')).toBe(false)
  })

  test('keep their citations in the history of the next message', async () => {
    stage = await openStage({ upstream: { model: searchingModel() } })
    const session = await say('did it rain?')
    await WIRES.chat({ url: stage.url, model: MODEL, text: 'and before?', session })
    const { messages } = sent(2)
    expect(messages.map((message: { role: string }) => message.role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[1].content.at(-1)).toMatchObject({
      type: 'text',
      text: 'It rained.',
      citations: [CITATION],
    })
  })

  test.for(Object.keys(WIRES) as WireName[])('are no calls for the client of %s', async wire => {
    stage = await openStage({ upstream: { model: searchingModel() } })
    const got = await WIRES[wire]({ url: stage.url, model: MODEL, text: 'did it rain?' })
    expect(got).toMatchObject({ text: 'It rained.', calls: [], isWhole: true })
  })

  test('are offered with every request when the configuration names them, unless a request names others', async () => {
    stage = await openStage({ upstream: { model: searchingModel() }, flags: { providerTools: [tool] } })
    const session = await say('did it rain?')
    expect(sent(0).tools).toMatchObject([tool])
    expect(sent(1).tools).toMatchObject([tool])
    const another = { type: 'web_fetch_20250910', name: 'web_fetch' }
    await say('and here?', { provider_tools: [another] })
    expect(sent(2).tools).toMatchObject([another])
    const before = stage.upstream.requests.length
    await (
      await post('/api/chat/stream', {
        session_id: session,
        message: 'without',
        options: { provider_tools: [] },
      })
    ).text()
    expect(JSON.stringify(sent(before))).not.toContain('web_search_20250305')
  })

  test('give way to a tool of the same name that the request brings', async () => {
    stage = await openStage({ upstream: { model: searchingModel() }, flags: { providerTools: [tool] } })
    const own = { name: 'web_search', input_schema: { type: 'object', properties: {} } }
    await WIRES['anthropic-messages, whole']({ url: stage.url, model: MODEL, text: 'rain?', tools: [own] })
    expect(sent(0).tools).toMatchObject([own])
    expect(sent(0).tools).toHaveLength(1)
  })

  const CITED: Readonly<Record<string, (answer: string) => void>> = {
    '/v1/messages': answer => {
      const { content } = JSON.parse(answer)
      expect(content.map((block: { type: string }) => block.type)).toEqual([
        'server_tool_use',
        'web_search_tool_result',
        'text',
      ])
      expect(content[2].citations).toEqual([CITATION])
    },
    '/v1/chat/completions': answer => {
      const { message } = JSON.parse(answer).choices[0]
      const url_citation = { url: CITATION.url, title: CITATION.title, start_index: 0, end_index: 10 }
      expect(message.annotations).toEqual([{ type: 'url_citation', url_citation }])
      expect(message).not.toHaveProperty('tool_calls')
    },
    '/api/chat/stream': answer => {
      expect(answer).toContain(JSON.stringify([CITATION]))
      expect(answer).toContain('web_search_tool_result')
    },
    '/v4/response': answer => {
      const completed = answer.split('\n').find(line => line.includes('"type":"text.completed"'))
      expect(JSON.parse(completed?.slice('data: '.length) ?? '{}').citations).toEqual([CITATION])
    },
  }

  test.for(Object.entries(CITED))(
    'and the sources of a message are sent through %s',
    async ([path, check]) => {
      stage = await openStage({ upstream: { model: searchingModel() } })
      const messages = [{ role: 'user', content: 'did it rain?' }]
      const created = await post('/api/sessions', { model: MODEL, tools: [] })
      const { id } = (await created.json()) as { id: string }
      const bodies: Readonly<Record<string, object>> = {
        '/v1/messages': { model: MODEL, max_tokens: 100, messages },
        '/v1/chat/completions': { model: MODEL, messages },
        '/api/chat/stream': { session_id: id, message: 'did it rain?' },
        '/v4/response': { input: 'did it rain?', model: MODEL, stream: true },
      }
      const response = await post(path, bodies[path])
      expect(response.status).toBe(200)
      check(await response.text())
    },
  )
})

const TEXT = { name: 's', turns: [{ emit: [{ type: 'text', text: 'Read.' }] }] }

test('a tool that an earlier request brought is declared again when the history calls it and the request brings none', async () => {
  const weather = {
    name: 'get_weather',
    description: 'the weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  }
  const turns = [
    {
      when: { text_contains: 'weather', has_result: false },
      emit: [{ type: 'tool_call', id: 'toolu_a', name: 'get_weather', input: { city: 'Oslo' } }],
    },
    { emit: [{ type: 'text', text: 'Cold.' }] },
  ]
  stage = await openStage({ upstream: { model: loadScenario({ name: 's', turns }) } })
  const ask = WIRES['anthropic-messages, whole']
  const { session } = await ask({ url: stage.url, model: MODEL, text: 'weather', tools: [weather] })
  await ask({ url: stage.url, model: MODEL, text: 'never mind', session })
  const last = sent(-1)
  expect(last.tools).toMatchObject([weather])
  expect(last.tool_choice).toEqual({ type: 'none' })
})

test('documents and images reach the provider in its own blocks', async () => {
  stage = await openStage({ upstream: { model: loadScenario(TEXT) } })
  await say([
    { type: 'text', text: 'Read this.' },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      title: 'a.pdf',
    },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
  ])
  expect(sent(0).messages[0].content).toMatchObject([
    { type: 'text' },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf' }, title: 'a.pdf' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
  ])
})

describe('counting tokens', () => {
  const body = { messages: [{ role: 'user', content: 'How long is this?' }] }

  test("asks the provider where it counts, with the request's own body", async () => {
    stage = await openStage()
    const response = await post('/v1/messages/count_tokens', { ...body, model: MODEL })
    expect(response.headers.get('x-token-count')).toBe('provider')
    expect(((await response.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(0)
    expect(stage.upstream.requests.map(request => request.path)).toEqual(['/v1/messages/count_tokens'])
    expect(sent(0)).not.toHaveProperty('max_tokens')
    expect(sent(0)).not.toHaveProperty('stream')
  })

  test('estimates without a provider count, and says so', async () => {
    stage = await openStage()
    const response = await post('/v1/messages/count_tokens', { ...body, model: 'gpt-4o' })
    expect(response.headers.get('x-token-count')).toBe('estimate')
    expect(stage.upstream.requests).toHaveLength(0)
  })

  test('estimates when the provider cannot be reached, and passes a rejected key on', async () => {
    stage = await openStage({ upstream: { apiKey: 'another' } })
    const rejected = await post('/v1/messages/count_tokens', { ...body, model: MODEL })
    expect(rejected.status).toBe(401)
    await stage.upstream.close()
    const response = await post('/v1/messages/count_tokens', { ...body, model: MODEL })
    expect(response.headers.get('x-token-count')).toBe('estimate')
  })
})
