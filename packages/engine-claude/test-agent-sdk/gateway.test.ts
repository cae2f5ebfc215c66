/** The gateway on this engine: the same requests, sessions and answers as on the native one, with the real program behind it. */
import { answerRules } from '@toolwire/tools'
import { createServer, type Server } from '@toolwire/server'
import { afterEach, describe, expect, test } from 'vitest'
// By its path: the server depends on this package, so this one cannot name it.
import { CALLS, TAKEN_UP, WEATHER } from './scripts.ts'
import { conversation, IDS, openStage, type Stage } from './stage.ts'

let stage: Stage
let server: Server
let url: string

async function serve(): Promise<void> {
  server = await createServer({
    store: stage.store,
    runtime: { wake: session => stage.runtime().wake(session) },
    rules: answerRules,
    settings: { port: 0, workspace: stage.home, model: MODEL },
    ids: IDS,
    clock: { now: () => new Date() },
  })
  url = await server.listen()
}

async function open(options?: Parameters<typeof openStage>[1]): Promise<void> {
  stage = await openStage(WEATHER, options)
  await serve()
}

/** The whole server goes down and comes back: HTTP, runtime, engine and its processes. */
async function restart(): Promise<void> {
  await server.close()
  await stage.restart()
  await serve()
}

afterEach(async () => {
  await server.close()
  await stage.close()
})

const MODEL = 'claude-sonnet-4-5'
const question = { role: 'user', content: 'weather?' }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const body = (messages: readonly unknown[], stream = false) => ({
  model: MODEL,
  stream,
  messages,
  tools: [
    {
      type: 'function',
      function: { name: 'get_weather', description: 'The weather of a city.', parameters },
    },
  ],
})

interface Completion {
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: {
      readonly content: string | null
      readonly tool_calls?: readonly {
        readonly id: string
        readonly function: { readonly arguments: string }
      }[]
    }
  }[]
}

async function ask(messages: readonly unknown[], headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body(messages)),
  })
  const answer = (await response.json()) as Completion
  return {
    status: response.status,
    session: response.headers.get('x-session-id') ?? '',
    choice: answer.choices?.[0],
    warnings: response.headers.get('x-toolwire-warnings'),
  }
}

type Choice = Completion['choices'][number] | undefined

/** The conversation with the answers of both calls, as a client without memory of us sends it. */
const answered = (choice: Choice): readonly unknown[] => [
  question,
  { role: 'assistant', ...choice?.message },
  { role: 'tool', tool_call_id: 'toolu_A1', content: 'sun' },
  { role: 'tool', tool_call_id: 'toolu_A2', content: 'rain' },
]

const show = async (session: string) =>
  (await (await fetch(`${url}/api/sessions/${session}`)).json()) as {
    readonly is_waiting_for_tool: boolean
    readonly pending: readonly { readonly call_id: string }[]
    readonly status: string
  }

describe('a request with tools', () => {
  test('carries all parallel calls, and the session shows what it waits for', async () => {
    await open()
    const { session, choice } = await ask([question])
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(choice?.message.tool_calls?.map(call => [call.id, JSON.parse(call.function.arguments)])).toEqual([
      ['toolu_A1', { city: 'Paris' }],
      ['toolu_A2', { city: 'Oslo' }],
    ])
    const shown = await show(session)
    expect(shown.is_waiting_for_tool).toBe(true)
    expect(shown.pending.map(item => item.call_id)).toEqual(['toolu_A1', 'toolu_A2'])
  })

  test('finds its waiting process again by the ids of its calls', async () => {
    await open()
    const first = await ask([question])
    const second = await ask(answered(first.choice))
    expect(second).toMatchObject({ session: first.session, warnings: null })
    expect(second.choice).toMatchObject({ finish_reason: 'stop', message: { content: 'Sun and rain.' } })
    expect(stage.upstream.requests).toHaveLength(2)
    expect((await show(first.session)).is_waiting_for_tool).toBe(false)
  })

  test('continues after the process was released, and after a restart, with the same history', async () => {
    await open({ hotMs: 0 })
    const first = await ask([question])
    await stage.released()
    await restart()
    expect((await show(first.session)).is_waiting_for_tool).toBe(true)
    const second = await ask(answered(first.choice))
    expect(second).toMatchObject({ session: first.session, warnings: null })
    expect(second.choice?.message.content).toBe('Sun and rain.')
    expect(conversation(stage.upstream, 1)).toEqual([
      { role: 'user', content: ['weather?'] },
      CALLS,
      {
        role: 'user',
        content: [{ result: 'toolu_A1', text: ['sun'] }, { result: 'toolu_A2', text: ['rain'] }, TAKEN_UP],
      },
    ])
  })

  test('is answered once when two clients bring the results at the same time', async () => {
    await open()
    const first = await ask([question])
    const both = await Promise.all([ask(answered(first.choice)), ask(answered(first.choice))])
    expect(both.map(one => one.choice?.message.content)).toEqual(['Sun and rain.', 'Sun and rain.'])
    expect(new Set(both.map(one => one.session))).toEqual(new Set([first.session]))
    expect(stage.upstream.requests).toHaveLength(2)
    const results = (await stage.store.read(first.session, 0, 10_000)).filter(
      ({ ev }) => ev.type === 'tool.completed',
    )
    expect(results).toHaveLength(2)
  })
})

test('the Messages wire continues with the same waiting process', async () => {
  await open()
  const send = async (messages: readonly unknown[]) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: 1000,
        messages,
        tools: [{ name: 'get_weather', description: 'The weather of a city.', input_schema: parameters }],
      }),
    })
    const answer = (await response.json()) as {
      stop_reason: string
      content: { type: string; text?: string }[]
    }
    return { ...answer, session: response.headers.get('x-session-id') }
  }
  const user = { role: 'user', content: 'weather?' }
  const first = await send([user])
  expect(first.stop_reason).toBe('tool_use')
  const results = ['toolu_A1', 'toolu_A2'].map(tool_use_id => ({
    type: 'tool_result',
    tool_use_id,
    content: 'sun',
  }))
  const second = await send([
    user,
    { role: 'assistant', content: first.content },
    { role: 'user', content: results },
  ])
  expect(second.session).toBe(first.session)
  expect(second.content.map(block => block.text)).toEqual(['Sun and rain.'])
  expect(stage.upstream.requests).toHaveLength(2)
})

test('a cost is reported for every message, also while the session waits', async () => {
  await open({ costOf: (_, usage) => (usage.input + usage.output) / 1_000_000 })
  const first = await ask([question])
  const paused = (await stage.store.read(first.session, 0, 10_000)).flatMap(({ ev }) =>
    ev.type === 'turn.completed' ? [ev] : [],
  )
  expect(paused.map(ev => (ev.cost_usd ?? 0) > 0)).toEqual([true])
  await ask(answered(first.choice))
  const [done] = (await stage.store.read(first.session, 0, 10_000)).flatMap(({ ev }) =>
    ev.type === 'run.completed' ? [ev] : [],
  )
  expect(done?.cost_usd).toBeGreaterThan(paused[0]?.cost_usd ?? 0)
})
