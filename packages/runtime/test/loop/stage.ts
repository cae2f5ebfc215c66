/** A whole runtime on a store, with a scripted model and tools that count what they did. */
import {
  type AgentState,
  type CallState,
  evolve,
  initial,
  isWaiting,
  type Model,
  type Rec,
  type SessionEvent,
  type SessionState,
  type StateSource,
  type Store,
} from '@toolwire/core'
import {
  type AgentOptions,
  createAgentTool,
  createArchitectTool,
  createBackgroundTasks,
  createToolSystem,
  defineTool,
  type HooksConfig,
} from '@toolwire/tools'
import { z } from 'zod'
import { createTaskTools } from '../../../tools/src/builtin/tasks.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'

export const SESSION = '0a1b2c3d-0000-4000-8000-000000000001'
const AT = '2026-01-01T00:00:00.000Z'

export interface Stage {
  readonly store: Store
  readonly runtime: Runtime
  /** How often each write call really ran, by call id. */
  readonly effects: Map<string, number>
  readonly errors: unknown[]
}

type StageOptions = AgentOptions & {
  readonly artifacts?: string
  readonly states?: StateSource | undefined
  readonly hooks?: HooksConfig
}

let nodes = 0
let answers = 0

export function openStage(
  store: Store,
  model: Model,
  effects = new Map<string, number>(),
  // No folder: what would be kept is not.
  { artifacts = '/dev/null/artifacts', states, hooks, ...agents }: StageOptions = {},
): Stage {
  const errors: unknown[] = []
  let n = 0
  nodes += 1
  const node = `node${nodes}`
  const { log, endless } = boundedLog(store)
  const runtime = createRuntime({
    log,
    ...(states ? { states } : {}),
    models: () => model,
    tools: createToolSystem({
      tools: [
        ...testTools(effects),
        createAgentTool(agents),
        createArchitectTool(),
        ...createTaskTools(createBackgroundTasks()),
      ],
      artifacts,
      ...(hooks ? { hooks } : {}),
    }),
    ids: { uuid: () => `run-${node}-${++n}`, prefixed: prefix => `${prefix}${node}_${++n}` },
    clock: { now: () => new Date(AT) },
    node,
    toolNames: ['peek', 'poke', 'boom'],
    maxTurns: 20,
    onError: error => errors.push(error),
  })
  const settled = (): Promise<void> => Promise.race([runtime.settled(), endless])
  return { store, runtime: { ...runtime, settled }, effects, errors }
}

const MAX_EVENTS = 20_000

/** A log that accepts no more than any test needs, so that an endless session fails its test. */
function boundedLog(store: Store): { readonly log: Store; readonly endless: Promise<never> } {
  const endless = Promise.withResolvers<never>()
  endless.promise.catch(() => undefined)
  let left = MAX_EVENTS
  const append: Store['append'] = async (batches, ...rest) => {
    left -= batches.reduce((sum, batch) => sum + batch.events.length, 0)
    if (left >= 0) return await store.append(batches, ...rest)
    const error = new Error(`the session never comes to rest: more than ${MAX_EVENTS} events`)
    endless.reject(error)
    throw error
  }
  const log = new Proxy(store, {
    get(target, name) {
      const value: unknown = name === 'append' ? append : Reflect.get(target, name)
      return typeof value === 'function' && name !== 'append' ? value.bind(target) : value
    },
  })
  return { log, endless: endless.promise }
}

export function testTools(effects: Map<string, number>) {
  const input = z.strictObject({ at: z.string() })
  const define = (name: string, readOnly: boolean, run: (at: string, call: string) => string) =>
    defineTool({
      name,
      description: name,
      input,
      isReadOnly: () => readOnly,
      async *call({ at }, { call_id }) {
        yield { type: 'progress', message: 'working' }
        yield { type: 'result', output_text: run(at, call_id) }
      },
    })
  return [
    define('peek', true, at => `saw ${at}`),
    define('poke', false, (at, call) => {
      effects.set(call, (effects.get(call) ?? 0) + 1)
      return `poked ${at}`
    }),
    define('boom', true, () => {
      throw new Error('boom')
    }),
    { ...define('quiz', true, () => 'confirmed'), question: () => ({ message: 'Sure?' }) },
    defineTool({
      name: 'form',
      description: 'asks while it runs',
      input,
      isReadOnly: () => true,
      async *call({ at }, { answered }) {
        if (answered) yield { type: 'result', output_text: `${at} was ${answered.decision}` }
        else yield { type: 'suspended', question: { message: 'Which one?' } }
      },
    }),
  ]
}

export const opening = (text: string, run_id = 'run-1'): readonly SessionEvent[] => [
  { type: 'session.created', ts: AT, cwd: '/', model: 'script', tools: ['*'], permission_mode: 'default' },
  message(text, run_id),
]

export const message = (text: string, run_id: string): SessionEvent => ({
  type: 'input.message',
  ts: AT,
  run_id,
  message_id: `in_${run_id}`,
  role: 'user',
  content: [{ type: 'text', text }],
  client_tools: [{ name: 'browse', description: 'runs in the page', input_schema: { type: 'object' } }],
})

export async function seed(store: Store, events: readonly SessionEvent[]): Promise<void> {
  const answers = await store.append([{ session: SESSION, create: true, events, state: 'running' }])
  if (!answers[0] || !('head' in answers[0])) throw new Error(`not seeded: ${JSON.stringify(answers)}`)
}

export async function readAll(store: Store): Promise<readonly Rec[]> {
  return await store.read(SESSION, 0, 1_000_000)
}

export async function fold(store: Store): Promise<SessionState> {
  return (await readAll(store)).reduce(evolve, initial())
}

/** Runs until nothing is left to do, answering every pause as a person and a page would. */
export async function playOut(stage: Stage): Promise<SessionState> {
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  for (let rounds = 0; ; rounds += 1) {
    await stage.runtime.settled()
    if (stage.errors.length > 0) throw stage.errors[0]
    const state = await fold(stage.store)
    const waits = Object.values(state.agents).some(agent => agent.calls.some(isWaiting))
    if (state.phase !== 'paused' && !waits) return state
    if (rounds > 50) throw new Error('the session never comes to rest')
    await answerAll(stage, state)
    stage.runtime.wake(SESSION)
  }
}

/** Answers everything that waits, in the session and in its subagents. */
export async function answerAll(stage: Stage, state: SessionState): Promise<void> {
  for (const agent of [state, ...Object.values(state.agents)]) {
    const agent_run_id = 'agent_run_id' in agent ? agent.agent_run_id : undefined
    for (const call of agent.calls.filter(isWaiting)) await answer(stage.store, call, agent_run_id)
  }
}

async function answer(store: Store, call: CallState, agent_run_id: string | undefined): Promise<void> {
  const base = {
    ts: AT,
    run_id: `answer-${++answers}`,
    call_id: call.call_id,
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
  }
  const asking = call.approval && !call.approval.decision
  const event: SessionEvent = asking
    ? { ...base, type: 'input.approval', approval_id: call.approval?.approval_id ?? '', decision: 'approved' }
    : { ...base, type: 'input.tool_output', output_text: 'page says hi', is_error: false, by: 'page' }
  const key = `${event.type}:${agent_run_id ?? ''}:${call.call_id}`
  await store.append([{ session: SESSION, events: [event], key, state: 'running' }])
}

/** What must be the same after any crash: everything but ids and times. */
export function essence(state: AgentState): unknown {
  const all = state.messages.map(m => {
    if (m.role === 'assistant')
      return m.content.map(p =>
        p.type === 'tool_use' ? [p.name, p.input_text] : p.type === 'text' ? p.text : p.type,
      )
    if (m.role === 'tool') return m.results.map(r => [r.name, r.is_error, r.output_text])
    return m.content
  })
  // Agents are named after their call.
  return JSON.parse(JSON.stringify(all).replaceAll(/agent_[\w.]+/g, 'agent'))
}
