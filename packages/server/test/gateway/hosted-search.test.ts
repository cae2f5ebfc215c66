/** Web searches that clients ask for in the words of their vendor: served by this server, passed to the provider, or left out. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HostedSearch } from '@toolwire/core'
import { createBuiltinTools } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, type GatewayOptions, startGateway } from './gateway-server.ts'

const HITS = [
  { title: 'One', url: 'https://one.example/a', content: 'first' },
  { title: 'Two', url: 'https://two.example/b', content: 'second' },
]

let engine: HttpServer
let queries: string[]
let gateway: Gateway | undefined

beforeEach(async () => {
  queries = []
  engine = createServer((request, response) => {
    queries.push(new URL(request.url ?? '', 'http://engine').searchParams.get('q') ?? '')
    response.end(JSON.stringify({ results: HITS }))
  })
  await new Promise<void>(resolve => engine.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  await new Promise(resolve => engine.close(resolve))
})

async function start(options: GatewayOptions = {}): Promise<Gateway> {
  const { port } = engine.address() as AddressInfo
  const all = createBuiltinTools({ web_search: { searxng: { url: `http://127.0.0.1:${port}` } } })
  gateway = await startGateway({ tools: all.filter(tool => tool.name === 'WebSearch'), ...options })
  return gateway
}

const SEARCH = 'write WebSearch {"query":"tides"}'
const hosted = ({ model }: Gateway): HostedSearch | undefined =>
  model.requests.at(-1)?.options?.['hosted_search'] as HostedSearch | undefined

describe('a search that this server runs', () => {
  test('is an item of a response, and its text goes to the model', async () => {
    const { openai, model } = await start()
    const response = await openai.responses.create({
      model: 'demo',
      input: SEARCH,
      tools: [{ type: 'web_search' }],
    })
    expect(queries).toEqual(['tides'])
    expect(response.output[0]).toMatchObject({
      type: 'web_search_call',
      status: 'completed',
      action: { query: 'tides', sources: HITS.map(({ url }) => ({ type: 'url', url })) },
    })
    expect(response.output_text).toContain('https://one.example/a')
    expect(model.requests[0]?.tools.map(tool => tool.name)).toEqual(['WebSearch'])
  })

  test.each([true, false])(
    'is two blocks of a message, whose client sends them back (streaming %j)',
    async stream => {
      const { anthropic, model, get } = await start()
      const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 3 }]
      const ask = async (messages: Parameters<typeof anthropic.messages.create>[0]['messages']) => {
        const body = { model: 'demo', max_tokens: 100, messages, tools }
        return stream
          ? await anthropic.messages.stream(body).finalMessage()
          : await anthropic.messages.create(body)
      }
      const first = await ask([{ role: 'user', content: SEARCH }])
      expect(first.content.map(block => block.type)).toEqual([
        'server_tool_use',
        'web_search_tool_result',
        'text',
      ])
      const [use, result] = first.content
      expect(use).toMatchObject({ name: 'web_search', input: { query: 'tides' } })
      expect(result).toMatchObject({
        tool_use_id: use?.type === 'server_tool_use' ? use.id : '',
        content: HITS.map(({ url, title }) => ({ type: 'web_search_result', url, title })),
      })
      expect(first.usage.server_tool_use?.web_search_requests).toBe(1)
      const { content } = first
      await ask([
        { role: 'user', content: SEARCH },
        { role: 'assistant', content },
        { role: 'user', content: 'say done' },
      ])
      expect((await get('/api/sessions')).sessions).toHaveLength(1)
      // In another session the blocks are not sent to a provider, which did not make them.
      await ask([
        { role: 'user', content: 'another' },
        { role: 'assistant', content },
        { role: 'user', content: 'say done' },
      ])
      expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('web_search_result')
    },
  )

  test.each([true, false])('is the sources of a completion (streaming %j)', async stream => {
    const { openai } = await start()
    const body = {
      model: 'demo',
      messages: [{ role: 'user' as const, content: SEARCH }],
      web_search_options: { search_context_size: 'low' as const },
    }
    const completion = stream
      ? await openai.chat.completions.stream(body).finalChatCompletion()
      : await openai.chat.completions.create(body)
    const { message, finish_reason } = completion.choices[0] ?? {}
    expect(finish_reason).toBe('stop')
    expect(message?.content).toContain('https://one.example/a')
    const { annotations = [] } = message ?? {}
    expect(annotations.map(one => one.url_citation.url)).toEqual(HITS.map(({ url }) => url))
  })

  test.each(['web_search', 'WebSearch', 'web_search_preview'])(
    'is run when the model calls it %s',
    async name => {
      const { openai } = await start()
      const response = await openai.responses.create({
        model: 'demo',
        input: `write ${name} {"query":"tides"}`,
        tools: [{ type: 'web_search' }],
      })
      expect(response.output.map(item => item.type)).toEqual(['web_search_call', 'message'])
    },
  )

  test('returns pages within the filters of the request alone', async () => {
    const { openai } = await start()
    const ask = async (input: string, filters: object) => {
      const tools = [{ type: 'web_search' as const, filters }]
      const { output } = await openai.responses.create({ model: 'demo', input, tools })
      return JSON.stringify(output)
    }
    const only = await ask(SEARCH, { allowed_domains: ['two.example'] })
    expect(only).toContain('two.example')
    expect(only).not.toContain('one.example')
    const wider = 'write WebSearch {"query":"tides","allowed_domains":["one.example"]}'
    expect(await ask(wider, { allowed_domains: ['two.example'] })).not.toContain('https://one.example')
    expect(await ask(SEARCH, { blocked_domains: ['one.example'] })).not.toContain('https://one.example')
  })

  test('is not run more often than the client allows', async () => {
    const { anthropic } = await start()
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 0 }]
    const messages = [{ role: 'user' as const, content: SEARCH }]
    const { content } = await anthropic.messages.create({ model: 'demo', max_tokens: 100, messages, tools })
    expect(content[1]).toMatchObject({
      content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    })
    expect(queries).toEqual([])
  })
})

describe('a search that the provider of the model runs', () => {
  const describeModel = () => ({ web_search: true })

  test('goes to it as it was declared', async () => {
    const running = await start({ config: { describeModel } })
    const tool = { type: 'web_search' as const, search_context_size: 'high' as const }
    await running.openai.responses.create({ model: 'demo', input: 'say hi', tools: [tool] })
    expect(hosted(running)).toMatchObject({
      declared: { api: 'openai-responses', tool },
      context_size: 'high',
    })
    expect(hosted(running)?.tool).toBeUndefined()
    expect(running.model.requests.at(-1)?.tools).toEqual([])
  })

  test('of another API has the same limits', async () => {
    const running = await start({ config: { describeModel } })
    const tool = {
      type: 'web_search_20250305' as const,
      name: 'web_search' as const,
      allowed_domains: ['https://one.example/path'],
      max_uses: 2,
    }
    const messages = [{ role: 'user' as const, content: 'say hi' }]
    await running.anthropic.messages.create({ model: 'demo', max_tokens: 9, messages, tools: [tool] })
    expect(hosted(running)).toMatchObject({ allowed_domains: ['one.example'], max_uses: 2 })
  })
})

describe('a search that nothing serves', () => {
  const warned = (body: object) => (body as { warnings?: { code: string }[] }).warnings?.map(one => one.code)

  test('is left out with a warning on every wire', async () => {
    const { openai, anthropic, model } = await start({ tools: [] })
    const input = 'say hi'
    const messages = [{ role: 'user' as const, content: input }]
    const tools = [{ type: 'web_search' as const }]
    const claude = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
    const answers = [
      await openai.responses.create({ model: 'demo', input, tools }),
      await openai.chat.completions.create({ model: 'demo', messages, web_search_options: {} }),
      await anthropic.messages.create({ model: 'demo', max_tokens: 9, messages, tools: claude }),
    ]
    expect(answers.map(warned)).toEqual([['tool_ignored'], ['tool_ignored'], ['tool_ignored']])
    expect(model.requests.map(request => request.options?.['hosted_search'])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('is rejected when the request forces it, or is strict', async () => {
    const { openai, post } = await start({ tools: [] })
    const tools = [{ type: 'web_search' as const }]
    const forced = openai.responses.create({
      model: 'demo',
      input: 'x',
      tools,
      tool_choice: { type: 'web_search_preview' },
    })
    await expect(forced).rejects.toMatchObject({ status: 400 })
    const strict = await post('/v1/responses', { input: 'x', tools }, { 'x-tool-repair': 'strict' })
    expect(strict.status).toBe(400)
  })

  test('of pages that the vendor stored is not replaced by another', async () => {
    const { openai } = await start()
    const tools = [{ type: 'web_search' as const, external_web_access: false }]
    const response = await openai.responses.create({ model: 'demo', input: 'say hi', tools })
    expect(warned(response)).toEqual(['tool_ignored'])
  })

  test('does not replace a tool of the client that has its name', async () => {
    const { openai } = await start()
    const own = { type: 'function' as const, name: 'WebSearch', parameters: {}, strict: false }
    const tools = [{ type: 'web_search' as const }, own]
    const response = await openai.responses.create({ model: 'demo', input: SEARCH, tools })
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'WebSearch' }])
    expect(queries).toEqual([])
  })
})
