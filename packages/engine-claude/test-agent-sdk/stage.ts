/** A runtime on a memory store whose engine runs the real program against the fake upstream. */
import { type FakeUpstream, loadScenario, startFakeUpstream } from '@toolwire/demo'
import { type Engine, createRuntime, type Runtime } from '@toolwire/runtime'
import { createToolSystem, defineTool } from '@toolwire/tools'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EventOf,
  type EventType,
  evolve,
  type Ids,
  initial,
  type Rec,
  type SessionEvent,
  type SessionState,
  type Store,
} from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { z } from 'zod'
import {
  type ClaudeAgentSdkOptions,
  createClaudeAgentSdkEngine,
} from '../src/create-engine.ts'

export interface Stage {
  readonly session: string
  readonly store: Store
  readonly upstream: FakeUpstream
  readonly home: string
  readonly errors: unknown[]
  readonly runtime: () => Runtime
  /** Stops runtime and engine as a server that goes down, and starts new ones on the same store. */
  readonly restart: () => Promise<void>
  readonly open: (text: string, more?: Partial<EventOf<'session.created'>>) => Promise<void>
  readonly send: (text: string) => Promise<void>
  readonly append: (...events: readonly SessionEvent[]) => Promise<void>
  readonly answer: (call_id: string, output_text: string, is_error?: boolean) => Promise<void>
  readonly settle: () => Promise<SessionState>
  readonly records: () => Promise<readonly Rec[]>
  readonly events: <T extends EventType>(type: T) => Promise<readonly EventOf<T>[]>
  /** Resolves when the log holds an event that satisfies this. */
  readonly until: (test: (event: SessionEvent) => boolean) => Promise<void>
  /** Ends the program from outside, as a machine short of memory would. */
  readonly killProcess: () => Promise<void>
  /** Resolves when no process of the program is left. */
  readonly released: () => Promise<void>
  readonly close: () => Promise<void>
}

export const IDS: Ids = {
  uuid: randomUUID,
  prefixed: prefix => `${prefix}${randomUUID().slice(0, 8)}`,
}

export type Turn = Readonly<Record<string, unknown>>

const at = (): string => new Date().toISOString()
const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export async function openStage(
  turns: readonly Turn[],
  options: Partial<ClaudeAgentSdkOptions> = {},
): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), 'toolwire-agent-sdk-'))
  const upstream = await startFakeUpstream({ model: loadScenario({ name: 'script', turns }) })
  const store = createMemoryStore()
  const session = randomUUID()
  const errors: unknown[] = []
  let running = start()

  function start(): { readonly engine: Engine; readonly runtime: Runtime } {
    const folder = process.env['TOOLWIRE_AGENT_SDK']
    const engine = createClaudeAgentSdkEngine({
      ...(folder === undefined ? {} : { folder }),
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TMPDIR: home,
        ANTHROPIC_BASE_URL: upstream.url,
        ANTHROPIC_API_KEY: 'test-key',
      },
      ...options,
    })
    const runtime = createRuntime({
      log: store,
      models: () => {
        throw new Error('the native models must not be asked')
      },
      tools: createToolSystem({ tools: [echo] }),
      ids: IDS,
      clock: { now: () => new Date() },
      node: randomUUID(),
      toolNames: ['echo'],
      maxTurns: 20,
      engines: { all: [engine], standard: 'claude-agent-sdk' },
      onError: error => errors.push(error),
    })
    return { engine, runtime }
  }

  async function stop(): Promise<void> {
    await running.runtime.stop()
    await running.engine.close()
  }

  async function write(events: readonly SessionEvent[], create = false): Promise<void> {
    const [answer] = await store.append([
      { session, events, state: 'running', ...(create ? { create } : {}) },
    ])
    if (!answer || !('head' in answer)) throw new Error(`not stored: ${JSON.stringify(answer)}`)
    running.runtime.wake(session)
  }

  const records = (): Promise<readonly Rec[]> => store.read(session, 0, 1_000_000)

  return {
    session,
    store,
    upstream,
    home,
    errors,
    records,
    runtime: () => running.runtime,
    async restart() {
      await stop()
      running = start()
      await running.runtime.start()
    },
    open: (text, more = {}) =>
      write(
        [
          {
            type: 'session.created',
            ts: at(),
            cwd: home,
            model: 'claude-sonnet-4-5',
            tools: ['*'],
            permission_mode: 'default',
            ...more,
          },
          message(text),
        ],
        true,
      ),
    send: text => write([message(text)]),
    append: (...events) => write(events),
    answer: (call_id, output_text, is_error = false) =>
      write([
        {
          type: 'input.tool_output',
          ts: at(),
          run_id: randomUUID(),
          call_id,
          output_text,
          is_error,
          by: 'client',
        },
      ]),
    async settle() {
      await running.runtime.settled()
      if (errors.length > 0) throw errors[0]
      return (await records()).reduce(evolve, initial())
    },
    async events<T extends EventType>(type: T) {
      return (await records()).flatMap(({ ev }) => (ev.type === type ? [ev as EventOf<T>] : []))
    },
    async until(test) {
      const seen = Promise.withResolvers<void>()
      const look = async (): Promise<void> => {
        if ((await records()).some(({ ev }) => test(ev))) seen.resolve()
      }
      const unwatch = await store.watch(() => void look())
      await look()
      await seen.promise
      unwatch()
    },
    async killProcess() {
      for (const id of await processesIn(home)) process.kill(id, 'SIGKILL')
    },
    async released() {
      while ((await processesIn(home)).length > 0) await new Promise(resolve => setTimeout(resolve, 20))
    },
    async close() {
      await stop()
      await upstream.close()
      await store.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Processes that work in this folder. */
export async function processesIn(folder: string): Promise<readonly number[]> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const places = await Promise.all(ids.map(id => readlink(`/proc/${id}/cwd`).catch(() => '')))
  return ids.filter((_, i) => places[i] === folder).map(Number)
}

function message(text: string): SessionEvent {
  return {
    type: 'input.message',
    ts: at(),
    run_id: randomUUID(),
    message_id: `in_${randomUUID()}`,
    role: 'user',
    content: [{ type: 'text', text }],
    client_tools: [WEATHER],
  }
}

const echo = defineTool({
  name: 'echo',
  description: 'Says the text again.',
  input: z.strictObject({ text: z.string() }),
  isReadOnly: () => true,
  async *call({ text }) {
    yield { type: 'result', output_text: `echo: ${text}` }
  },
})

/** The conversation of a request, without what the program adds to it. */
export function conversation(upstream: FakeUpstream, index: number): readonly unknown[] {
  const request = upstream.requests.filter(one => one.path === '/v1/messages').at(index)
  const { messages } = Conversation.parse(request?.body)
  return messages.map(({ role, content }) => ({
    role,
    content: (typeof content === 'string' ? [{ type: 'text', text: content }] : content).flatMap(plain),
  }))
}

const Block = z.looseObject({ type: z.string() })
const Conversation = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
})

function plain(block: z.infer<typeof Block>): readonly unknown[] {
  if (block.type === 'text') return withoutReminders(block['text'])
  if (block.type === 'tool_use') return [{ call: block['id'], name: block['name'], input: block['input'] }]
  if (block.type !== 'tool_result') return [block.type]
  const { content } = block
  const text = Array.isArray(content)
    ? z.array(Block).parse(content).flatMap(plain)
    : withoutReminders(content)
  return [{ result: block['tool_use_id'], text, ...(block['is_error'] === true ? { error: true } : {}) }]
}

function withoutReminders(text: unknown): readonly string[] {
  const rest = String(text)
    .replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '')
    .trim()
  return rest === '' ? [] : [rest]
}
