/** Tools that the server runs inside an answer, beside those that come back to the client. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tool } from '@toolwire/core'
import { createDemoModel } from '@toolwire/demo'
import { defineTool } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let tavily: HttpServer
let asked: string[]
let gateway: Gateway | undefined

beforeEach(async () => {
  asked = []
  tavily = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += String(chunk)
    })
    request.on('end', () => {
      asked.push((JSON.parse(body) as { query: string }).query)
      response.end(JSON.stringify({ answer: '沈阳今日晴，气温20到25度' }))
    })
  })
  await new Promise<void>(resolve => tavily.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  await new Promise(resolve => tavily.close(resolve))
})

function searchTool(): Tool {
  const { port } = tavily.address() as AddressInfo
  return defineTool({
    name: 'tavily_search',
    description: 'Search the web 搜索 天气 新闻',
    input: z.object({ query: z.string() }),
    isReadOnly: () => true,
    async *call({ query }) {
      const response = await fetch(`http://127.0.0.1:${port}/search`, {
        method: 'POST',
        body: JSON.stringify({ query }),
      })
      const { answer } = (await response.json()) as { answer: string }
      yield { type: 'result', output_text: answer }
    },
  }) as Tool
}

const guarded = (): Tool =>
  defineTool({
    name: 'Danger',
    description: 'Changes things',
    input: z.object({}),
    isReadOnly: () => false,
    async *call() {
      yield { type: 'result', output_text: 'done' }
    },
  }) as Tool

const functions = [
  {
    name: 'tavily_search',
    description: '搜索网络，获取天气、新闻等实时信息',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
]

test('«沈阳天气»: a function that the server has is run on the server, and the answer streams', async () => {
  const demo = createDemoModel({ paceMs: 0 })
  gateway = await startGateway({
    tools: [searchTool()],
    models: () => demo,
    config: { gatewayTools: ['tavily_search'] },
  })
  const response = await gateway.post('/v1/chat/completions', {
    model: 'demo',
    messages: [
      { role: 'system', content: '你是一个助手' },
      { role: 'user', content: '沈阳天气' },
    ],
    functions,
    stream: true,
  })
  const session = response.headers.get('x-session-id') ?? ''
  const chunks = await readData(response)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('沈阳')
  const text = chunks.map(chunk => chunk.choices?.[0].delta.content ?? '').join('')
  expect(text).toContain('20到25度')
  expect(chunks.some(chunk => chunk.choices?.[0].delta.function_call)).toBe(false)
  expect(chunks.at(-2).choices[0].finish_reason).toBe('stop')
  // The result travelled as a real result of a real call.
  const { messages } = await gateway.get(`/api/sessions/${session}/messages`)
  expect(messages.map((message: { role: string }) => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
  ])
})

test('a definition that the server replaces by its own is a warning, and a strict request is rejected', async () => {
  gateway = await startGateway({ tools: [searchTool()] })
  const headers = { 'x-server-tools': 'tavily_search' }
  const body = { messages: [{ role: 'user', content: 'say hi' }], functions }
  const response = await gateway.post('/v1/chat/completions', body, headers)
  const warning = { code: 'tool_replaced', message: expect.stringContaining('"tavily_search"') }
  expect(JSON.parse(response.headers.get('x-toolwire-warnings') ?? '')).toEqual([warning])
  expect((await response.json()).warnings).toEqual([warning])
  const input_schema = { type: 'object' }
  const messages = {
    ...body,
    functions: undefined,
    max_tokens: 9,
    tools: [{ name: 'tavily_search', input_schema }],
  }
  expect((await (await gateway.post('/v1/messages', messages, headers)).json()).warnings).toEqual([warning])
  const asked = gateway.model.requests.length
  const strict = await gateway.post('/v1/chat/completions', body, { ...headers, 'x-tool-repair': 'strict' })
  expect(strict.status).toBe(400)
  expect((await strict.json()).error.message).toContain('"tavily_search"')
  expect(gateway.model.requests).toHaveLength(asked)
  const other = await gateway.post(
    '/v1/chat/completions',
    { ...body, functions: [chatTool('x').function] },
    headers,
  )
  expect(other.headers.get('x-toolwire-warnings')).toBeNull()
})

test('without server execution the same function comes back to the client', async () => {
  const demo = createDemoModel({ paceMs: 0 })
  gateway = await startGateway({ tools: [searchTool()], models: () => demo })
  const response = await gateway.post('/v1/chat/completions', {
    messages: [{ role: 'user', content: '沈阳天气' }],
    functions,
  })
  const { choices } = await response.json()
  expect(choices[0]).toMatchObject({
    finish_reason: 'function_call',
    message: { function_call: { name: 'tavily_search' } },
  })
  expect(asked).toEqual([])
})

test.each([
  ['a header', {}, { 'x-server-tools': 'tavily_search' }],
  ['the metadata', { metadata: { server_tools: '*' } }, {}],
] as [string, object, Record<string, string>][])(
  'server execution can be asked for by %s',
  async (_, more, headers) => {
    gateway = await startGateway({ tools: [searchTool()] })
    const body = { messages: [{ role: 'user', content: 'call tavily_search' }], ...more }
    const answer = await gateway.post('/v1/chat/completions', body, headers)
    expect((await answer.json()).choices[0].finish_reason).toBe('stop')
    expect(gateway.model.requests[0]?.tools.map(tool => tool.name)).toEqual(['tavily_search'])
    expect(gateway.model.requests).toHaveLength(2)
  },
)

test('a server tool that does not exist is refused, and without asking none is offered', async () => {
  gateway = await startGateway({ tools: [searchTool()] })
  const body = { messages: [{ role: 'user', content: 'say hi' }] }
  const refused = await gateway.post('/v1/chat/completions', body, { 'x-server-tools': 'nope' })
  expect(refused.status).toBe(400)
  await gateway.post('/v1/chat/completions', body)
  expect(gateway.model.requests[0]?.tools).toEqual([])
})

test.each(['/v1/chat/completions', '/v1/messages'])(
  '%s: server calls run unseen while client calls come back',
  async path => {
    gateway = await startGateway({ tools: [searchTool()], config: { gatewayTools: ['tavily_search'] } })
    const chat = chatTool('pick')
    const { name, parameters } = chat.function
    const tools = path.endsWith('messages') ? [{ name, input_schema: parameters }] : [chat]
    const response = await gateway.post(path, {
      max_tokens: 10,
      messages: [{ role: 'user', content: 'call pick@Paris, tavily_search' }],
      tools,
    })
    const session = response.headers.get('x-session-id')
    const body = await response.json()
    const calls = path.endsWith('messages') ? body.content : body.choices[0].message.tool_calls
    expect(calls).toHaveLength(1)
    expect(calls[0].name ?? calls[0].function.name).toBe('pick')
    const { pending } = await gateway.get(`/api/sessions/${session}`)
    expect(pending.map((item: { name: string }) => item.name)).toEqual(['pick'])
  },
)

test('a pending approval of the run is reported, and a client that leaves does not cancel the run', async () => {
  gateway = await startGateway({ tools: [guarded()], config: { gatewayTools: ['Danger'] } })
  const response = await gateway.post('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'say wait and call Danger' }],
  })
  const body = await response.json()
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'wait' } })
  expect(body.pending).toMatchObject([{ kind: 'approval', name: 'Danger' }])
  const leave = new AbortController()
  const hanging = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'fail x late' }] }),
    signal: leave.signal,
  })
  const session = hanging.headers.get('x-session-id') ?? ''
  leave.abort()
  await hanging.text().catch(() => '')
  await gateway.left()
  await gateway.get('/healthz')
  gateway.model.open()
  await gateway.settled()
  const log = await gateway.store.read(session, 0, 1000)
  expect(log.at(-1)?.ev.type).toBe('run.failed')
  expect(log.some(({ ev }) => ev.type === 'input.cancel')).toBe(false)
})
