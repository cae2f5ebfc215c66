/** Agents that change their own history with every request: after sixty steps there is one session, and nothing waits. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, ModelRequest, Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

const STEPS = 60
const LONG_MARK = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const schema = {
  type: 'object',
  properties: {
    file_path: { type: 'string' },
    count: { type: 'number' },
    replace_all: { type: 'boolean', default: false },
  },
  required: ['file_path'],
}

let dir: string
let store: Store
let gateway: Gateway
let requests: ModelRequest[]
beforeEach(async () => {
  requests = []
  dir = await mkdtemp(join(tmpdir(), 'toolwire-sixty-steps-'))
  store = await openSqliteStore({ dir })
  gateway = await startGateway({ store, models: () => editor })
})
afterEach(async () => {
  await gateway.close()
  await store.close()
  await rm(dir, { recursive: true })
})

/** Thinks, says a word and edits a file, until step 30 and step 60, where it only says that it is done. */
const editor: Model = {
  provider: 'anthropic',
  id: 'demo',
  async *stream(request) {
    const step = requests.push(request)
    yield { type: 'start', provider_message_id: `p_${step}`, model: 'demo' }
    yield { type: 'block-start', index: 0, kind: 'thinking' }
    yield { type: 'block-delta', index: 0, thinking: 'hm', signature: `sig-${step}` }
    yield { type: 'block-end', index: 0 }
    yield { type: 'block-start', index: 1, kind: 'text' }
    yield { type: 'block-delta', index: 1, text: `step ${step}\n` }
    yield { type: 'block-end', index: 1 }
    const isDone = step % (STEPS / 2) === 0
    if (!isDone) {
      const input_text = `{ "file_path": "/a/${step}\\u002etxt",\n  "count": 1.0 }`
      yield { type: 'block-start', index: 2, kind: 'tool_use', tool: { id: `toolu_${step}`, name: 'Edit' } }
      yield { type: 'block-delta', index: 2, input_text }
      yield { type: 'block-end', index: 2 }
    }
    const finish = isDone ? ('stop' as const) : ('tool_calls' as const)
    yield { type: 'end', stop_reason: isDone ? 'end_turn' : 'tool_use', finish, usage: USAGE }
  },
}

type Message = Record<string, unknown>

async function post(path: string, body: object) {
  const response = await gateway.post(path, body)
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  const answer = (await response.json()) as any
  expect(response.status, JSON.stringify(answer)).toBe(200)
  const codes = (answer.warnings ?? []).map((warning: { code: string }) => warning.code)
  expect(codes).not.toContain('session_rebuilt')
  return answer
}

async function expectOneSession(): Promise<void> {
  await gateway.settled()
  expect((await store.list({ limit: 100 })).items).toHaveLength(1)
  expect((await gateway.get('/api/pending')).pending).toEqual([])
  expect(requests).toHaveLength(STEPS)
  const [row] = (await store.list({ limit: 1 })).items
  expect(await gateway.get(`/api/sessions/${row?.id}`)).toMatchObject({ status: 'idle', pending: [] })
}

const textOf = ({ messages }: ModelRequest): string => JSON.stringify(messages)

test('Claude Code: reminders and cache marks move, thinking is dropped, defaults are added', async () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const reminder = (text: string) => ({
    type: 'text',
    text: `<system-reminder>\n${text}\n</system-reminder>`,
  })
  const words = (text: string) => ({ type: 'text', text })
  const history: { role: string; content: readonly object[] }[] = [
    { role: 'user', content: [reminder('project rules'), words('fix it')] },
  ]
  for (let step = 1; step <= STEPS; step += 1) {
    const messages = history.map((message, at) => {
      if (at < history.length - 1) return message
      const content = [...message.content, reminder(`the todo list at step ${step}`)]
      return {
        ...message,
        content: content.map((block, i) => (i === content.length - 1 ? { ...block, ...mark } : block)),
      }
    })
    const { content } = await post('/v1/messages', {
      model: 'demo',
      max_tokens: 1000,
      system: [
        words(`x-anthropic-billing-header: cc_version=2.1; cch=${step}`),
        { ...words('You are Claude Code.'), ...mark },
        words(`Today's date: 2026-11-${10 + (step % 20)}`),
      ],
      // The mark on the tools comes and goes.
      tools: [{ name: 'Edit', input_schema: schema, ...(step % 3 === 0 ? LONG_MARK : {}) }],
      messages,
    })
    // Reminders of odd steps stay where they were, the others vanish.
    if (step % 2 === 1)
      history.splice(-1, 1, { ...history.at(-1), ...messages.at(-1) } as (typeof history)[number])
    const echoed = content.flatMap((block: Message) => {
      if (block['type'] === 'thinking') return []
      return [
        block['type'] === 'tool_use'
          ? { ...block, input: { ...(block['input'] as object), replace_all: false } }
          : block,
      ]
    })
    history.push({ role: 'assistant', content: echoed })
    const calls = content.filter((block: Message) => block['type'] === 'tool_use')
    const results = calls.map(({ id }: { id: string }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: `edited ${step}`,
    }))
    history.push({ role: 'user', content: results.length > 0 ? results : [words('and now the rest')] })
  }
  await expectOneSession()
  const last = requests.at(-1)
  for (let step = 1; step <= STEPS; step += 1)
    expect(last && textOf(last).split(`the todo list at step ${step}\\n`), `step ${step}`).toHaveLength(2)
  expect(last?.messages.filter(({ role }) => role === 'tool')).toHaveLength(STEPS - 2)
  // The log is the truth: signed thinking and arguments are those of the model.
  expect(last && textOf(last)).toContain('"signature":"sig-59"')
  expect(last && textOf(last)).not.toContain('replace_all')
})

test('goose: arguments are written again, and the message with time and todo list moves', async () => {
  const history: Message[] = [{ role: 'user', content: 'fix it' }]
  const clock = (step: number) => `2026-11-18 ${10 + Math.floor(step / 20)}:${10 + (step % 20)}:00`
  for (let step = 1; step <= STEPS; step += 1) {
    const info = `<info-msg>\nIt is currently ${clock(step)}\nTodo: ${step}\n</info-msg>`
    const at = history.findLastIndex(message => message['role'] === 'assistant')
    const messages =
      at === -1
        ? [{ role: 'user', content: `${info}\nfix it` }]
        : [...history.slice(0, at), { role: 'user', content: info }, ...history.slice(at)]
    const { choices } = await post('/v1/chat/completions', {
      model: 'demo',
      tools: [{ type: 'function', function: { name: 'Edit', parameters: schema } }],
      messages: [
        { role: 'system', content: `You are goose. It is ${clock(step).slice(0, 13)}:00.` },
        ...messages,
      ],
    })
    const { content, tool_calls = [] } = choices[0].message
    const written = tool_calls.map((call: { function: { arguments: string } }) => {
      const { file_path, count } = JSON.parse(call.function.arguments)
      return {
        ...call,
        function: { ...call.function, arguments: JSON.stringify({ count, replace_all: false, file_path }) },
      }
    })
    history.push({
      role: 'assistant',
      content: content.trim(),
      ...(written.length > 0 ? { tool_calls: written } : {}),
    })
    for (const { id } of written) history.push({ role: 'tool', tool_call_id: id, content: `edited ${step}` })
    if (written.length === 0) history.push({ role: 'user', content: 'and now the rest' })
  }
  await expectOneSession()
  const last = requests.at(-1)
  expect(last?.messages.filter(({ role }) => role === 'tool')).toHaveLength(STEPS - 2)
  // Each request brought its own time and list, and the model has read each of them once.
  for (let step = 1; step <= STEPS; step += 1)
    expect(last && textOf(last).split(`Todo: ${step}\\n`), `step ${step}`).toHaveLength(2)
})
