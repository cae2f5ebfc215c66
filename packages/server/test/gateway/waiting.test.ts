/** Results for a session that waits: two clients at once, before and after a restart, on both wires; and for one that waits no more. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'

let dir: string
let store: Store
let gateway: Gateway
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'toolwire-waiting-'))
  await open()
})
afterEach(async () => {
  await shut()
  await rm(dir, { recursive: true })
})

async function open(): Promise<void> {
  store = await openSqliteStore({ dir })
  gateway = await startGateway({ store })
}
async function shut(): Promise<void> {
  await gateway.close()
  await store.close()
}
async function restart(): Promise<void> {
  await shut()
  await open()
}

type Message = Record<string, unknown>
interface Answer {
  readonly session: string
  readonly message: Message
  readonly text: string
  readonly calls: readonly string[]
  readonly warnings: readonly string[]
}

interface Wire {
  readonly ask: (messages: readonly Message[]) => Promise<Answer>
  readonly results: (calls: readonly string[], outputs: readonly string[]) => readonly Message[]
}

async function post(path: string, body: object) {
  const response = await gateway.post(path, body)
  const session = response.headers.get('x-session-id') ?? ''
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  const answer = (await response.json()) as any
  expect(response.status, JSON.stringify(answer)).toBe(200)
  const warnings = (answer.warnings ?? []).map((warning: { code: string }) => warning.code)
  return { session, answer, warnings }
}

const chat: Wire = {
  async ask(messages) {
    const tools = [chatTool('weather'), chatTool('news')]
    const { answer, ...rest } = await post('/v1/chat/completions', { model: 'demo', tools, messages })
    const { message } = answer.choices[0]
    const calls = (message.tool_calls ?? []).map((call: { id: string }) => call.id)
    return { ...rest, message, text: message.content ?? '', calls }
  },
  results: (calls, outputs) =>
    calls.map((tool_call_id, i) => ({ role: 'tool', tool_call_id, content: outputs[i] ?? '' })),
}

const messagesWire: Wire = {
  async ask(messages) {
    const tools = ['weather', 'news'].map(name => ({ name, input_schema: { type: 'object' } }))
    const body = { model: 'demo', max_tokens: 100, tools, messages }
    const { answer, ...rest } = await post('/v1/messages', body)
    const blocks: readonly { type: string; id: string; text: string }[] = answer.content
    return {
      ...rest,
      message: { role: 'assistant', content: blocks },
      text: blocks.map(block => (block.type === 'text' ? block.text : '')).join(''),
      calls: blocks.flatMap(block => (block.type === 'tool_use' ? [block.id] : [])),
    }
  },
  results: (calls, outputs) => [
    {
      role: 'user',
      content: calls.map((tool_use_id, i) => ({
        type: 'tool_result',
        tool_use_id,
        content: outputs[i] ?? '',
      })),
    },
  ],
}

const user = (content: string): Message => ({ role: 'user', content })

/** A conversation that waits for two calls. */
async function waiting(wire: Wire) {
  const question = user('call weather@Paris, news@Oslo')
  const first = await wire.ask([question])
  expect(first.calls).toHaveLength(2)
  return { ...first, history: [question, first.message] }
}

const runs = async (session: string): Promise<number> =>
  (await store.read(session, 0, 1000)).filter(({ ev }) => ev.type === 'run.started').length

const WIRES = [
  ['Chat Completions', chat],
  ['Messages', messagesWire],
] as const

describe.each(WIRES)('a session that waits on %s', (_, wire) => {
  describe.each(['at once', 'after a restart'])('answered %s', when => {
    test('by two clients with the same results gives both one answer, from one run and one model call', async () => {
      const { history, calls, session } = await waiting(wire)
      if (when === 'after a restart') await restart()
      const asked = gateway.model.requests.length
      const sent = [...history, ...wire.results(calls, ['sunny', 'none'])]
      const [a, b] = await Promise.all([wire.ask(sent), wire.ask(sent)])
      expect([a?.text, b?.text]).toEqual(['got sunny | none', 'got sunny | none'])
      expect([a?.session, b?.session]).toEqual([session, session])
      expect([a?.warnings, b?.warnings]).toEqual([[], []])
      expect(gateway.model.requests).toHaveLength(asked + 1)
      expect(await runs(session)).toBe(2)
    })

    test('by two clients with different results lets the first in; the other is answered from its messages, with a warning', async () => {
      const { history, calls, session } = await waiting(wire)
      if (when === 'after a restart') await restart()
      const answers = await Promise.all(
        ['sunny', 'rainy'].map(one => wire.ask([...history, ...wire.results(calls, [one, 'none'])])),
      )
      expect(answers.map(answer => answer.text).sort()).toEqual(['got rainy | none', 'got sunny | none'])
      const inside = answers.filter(answer => answer.session === session)
      const outside = answers.filter(answer => answer.session !== session)
      expect(inside.map(answer => answer.warnings)).toEqual([[]])
      expect(outside.map(answer => answer.warnings)).toEqual([['session_rebuilt']])
      expect(await runs(session)).toBe(2)
    })

    test('shows until then what it waits for, and not any more', async () => {
      const { history, calls, session } = await waiting(wire)
      if (when === 'after a restart') await restart()
      expect(await gateway.get(`/api/sessions/${session}`)).toMatchObject({
        status: 'paused',
        is_waiting_for_tool: true,
        pending: calls.map(call_id => ({ kind: 'client_tool', call_id })),
      })
      await wire.ask([...history, ...wire.results(calls, ['sunny', 'none'])])
      expect(await gateway.get(`/api/sessions/${session}`)).toMatchObject({
        status: 'idle',
        is_waiting_for_tool: false,
        pending: [],
      })
    })
  })

  test.each([
    [
      'was deleted',
      (session: string) => fetch(`${gateway.url}/api/sessions/${session}`, { method: 'DELETE' }),
    ],
    ['was cancelled', (session: string) => gateway.post(`/api/sessions/${session}/cancel`, {})],
  ])('and %s meanwhile is rebuilt from the messages, with a warning', async (_how, end) => {
    const { history, calls, session } = await waiting(wire)
    expect((await end(session)).ok).toBe(true)
    await gateway.settled()
    const answer = await wire.ask([...history, ...wire.results(calls, ['sunny', 'none'])])
    expect(answer).toMatchObject({ text: 'got sunny | none', warnings: ['session_rebuilt'] })
    expect(answer.session).not.toBe(session)
    expect(gateway.model.requests.at(-1)?.messages).toHaveLength(3)
  })
})
