/** Suggestions of CopilotKit: one model call with the page's tool, and nothing else. */
import type { ModelPart, ModelRequest } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type KeyServer, startKeyServer } from '../access/key-server.ts'

const SUGGEST = {
  name: 'copilotkitSuggest',
  description: 'Suggests what to say next.',
  parameters: { type: 'object', properties: { suggestions: { type: 'array' } } },
}
const usage = { input: 7, output: 3, cache_read: 0, cache_write: 0, reasoning: 0 }
const requests: ModelRequest[] = []
let answer: readonly ModelPart[] = []
let hold: ((signal: AbortSignal) => Promise<void>) | undefined

async function* askModel(_: string, request: ModelRequest, signal: AbortSignal) {
  requests.push(request)
  await hold?.(signal)
  yield* answer
}

const CALL: readonly ModelPart[] = [
  { type: 'start', provider_message_id: 'p', model: 'demo' },
  { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'c1', name: 'copilotkitSuggest' } },
  { type: 'block-delta', index: 0, input_text: '{"suggestions":' },
  { type: 'block-delta', index: 0, input_text: '[]}' },
  { type: 'block-end', index: 0 },
  { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage, cost_usd: 0.25 },
]

let server: KeyServer
let key = ''
beforeEach(async () => {
  requests.length = 0
  answer = CALL
  server = await startKeyServer({ askModel })
  key = await server.newKey({ owner: 'one', budget_usd: 0.5 })
})
afterEach(() => server.close())

const body = {
  threadId: 'thrown away',
  runId: 'r1',
  state: null,
  tools: [SUGGEST],
  context: [],
  forwardedProps: { toolChoice: { type: 'function', function: { name: 'copilotkitSuggest' } } },
  messages: [
    { id: 'u', role: 'user', content: 'hello' },
    { id: 'a', role: 'assistant', content: 'hi' },
    { id: 't', role: 'tool', toolCallId: 'x', content: 'secret of a tool' },
    { id: 's', role: 'developer', content: 'Suggest what the user could say next.' },
  ],
}
const send = (path: string, sent: unknown = body, more: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(sent),
    ...more,
  })
const eventsIn = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Record<string, unknown>)

describe.each([
  ['its route', () => send('/copilotkit/agent/default/suggest')],
  ['a run', () => send('/copilotkit/agent/default/run')],
  [
    'the single route',
    () => send('/copilotkit', { method: 'agent/run', params: { agentId: 'default' }, body }),
  ],
] as const)('by %s', (_, ask) => {
  it('one call of the model has to call the tool of the page, and nothing is stored', async () => {
    const events = eventsIn(await (await ask()).text())
    expect(events).toEqual([
      { type: 'RUN_STARTED', threadId: 'thrown away', runId: 'r1' },
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'copilotkitSuggest' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"suggestions":[]}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      { type: 'RUN_FINISHED', threadId: 'thrown away', runId: 'r1' },
    ])
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ tool_choice: { type: 'tool', name: 'copilotkitSuggest' } })
    expect(requests[0]?.tools.map(tool => tool.name)).toEqual(['copilotkitSuggest'])
    expect(requests[0]?.messages.map(message => message.role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(requests[0])).not.toContain('secret')
    expect((await server.as(key, 'GET', '/api/sessions')).body.sessions).toEqual([])
    expect(server.model.calls()).toBe(0)
  })
})

const ROUTE = '/copilotkit/agent/default/suggest'

it('is charged to the budget of the key, and ends with it', async () => {
  for (const status of [200, 200, 429]) expect((await send(ROUTE)).status).toBe(status)
  expect(requests).toHaveLength(2)
})

it('is bounded for an owner, whatever the limits of the key are', async () => {
  key = await server.newKey({ owner: 'two' })
  const statuses: number[] = []
  for (let n = 0; n < 32; n++) statuses.push((await send(ROUTE)).status)
  expect(statuses.filter(status => status === 429).length).toBeGreaterThan(0)
  expect(requests.length).toBeLessThan(32)
  key = await server.newKey({ owner: 'three' })
  expect((await send(ROUTE)).status).toBe(200)
})

it('is an error of the model as a sentence, and a run without a call when the model makes none', async () => {
  const [start, , , , , end] = CALL
  answer = [start, end].filter(part => part !== undefined)
  expect(eventsIn(await (await send(ROUTE)).text()).map(event => event['type'])).toEqual([
    'RUN_STARTED',
    'RUN_FINISHED',
  ])
  answer = [{ type: 'error', error: { code: 'model_overloaded', message: 'Too busy.', retryable: true } }]
  const failed = await send(ROUTE)
  expect([failed.status, await failed.text()]).toEqual([529, 'Too busy.'])
})

it('ends the model call when the page leaves', async () => {
  const leaving = new AbortController()
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  hold = async aborted => {
    started.resolve()
    await new Promise<void>(resolve => aborted.addEventListener('abort', () => resolve()))
    ended.resolve()
  }
  const sent = send(ROUTE, body, { signal: leaving.signal }).catch(() => {})
  await started.promise
  leaving.abort()
  await ended.promise
  await sent
  hold = undefined
})
