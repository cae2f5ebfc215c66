/** What a run has used: added up per model, over broken messages and subagents, and unknown where a part is unknown. */
import { describe, expect, test } from 'vitest'
import { evolve, initial, type SessionEvent, type SessionState, type Usage } from '../../src/index.ts'

const ts = '2026-01-01T00:00:00.000Z'
const USAGE: Usage = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }

const fold = (...events: readonly SessionEvent[]): SessionState =>
  events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev })).reduce(evolve, initial())

const at = { ts, run_id: 'r' }
const begin: readonly SessionEvent[] = [
  { type: 'session.created', ts, cwd: '/', model: 'm', tools: [], permission_mode: 'default' },
  { type: 'input.message', ...at, message_id: 'i', role: 'user', content: [{ type: 'text', text: 'go' }] },
  { type: 'run.started', ...at, conversation_id: 'r', trigger: 'message', client_tools: [], model: 'm' },
]
const asks = (model = 'm', agent_run_id?: string): SessionEvent => ({
  type: 'turn.started',
  ...at,
  turn: 0,
  provider: 'p',
  model,
  attempt: 1,
  ...(agent_run_id ? { agent_run_id } : {}),
})
const completes = (more: Partial<SessionEvent> = {}): SessionEvent =>
  ({
    type: 'turn.completed',
    ...at,
    message_id: 'x',
    stop_reason: 'end_turn',
    finish: 'stop',
    usage: USAGE,
    has_next: true,
    ...more,
  }) as SessionEvent
const aborts = (more: Partial<SessionEvent> = {}): SessionEvent =>
  ({ type: 'message.aborted', ...at, message_id: '', reason: 'failed', ...more }) as SessionEvent
const agent: readonly SessionEvent[] = [
  { type: 'agent.started', ...at, agent_run_id: 'a', name: 'n', parent_call_id: 'c', prompt: 'p' },
  {
    type: 'run.started',
    ...at,
    agent_run_id: 'a',
    conversation_id: 'a',
    trigger: 'message',
    client_tools: [],
    model: 'm',
  },
]

describe('the usage of a run', () => {
  test('is a sum per model', () => {
    const { run } = fold(...begin, asks(), completes({ cost_usd: 1 }), asks('n'), completes({ cost_usd: 2 }))
    expect(run?.usage).toEqual([
      { model: 'm', usage: USAGE, cost_usd: 1 },
      { model: 'n', usage: USAGE, cost_usd: 2 },
    ])
    expect(run?.spent_usd).toBe(3)
  })

  test.for([[[{ cost_usd: 1 }, {}]], [[{}, { cost_usd: 1 }]]] as const)(
    'has no cost as soon as one request has none: %o',
    ([costs]) => {
      const { run } = fold(...begin, ...costs.flatMap(cost => [asks(), completes(cost)]))
      expect(run?.usage).toEqual([{ model: 'm', usage: { ...USAGE, input: 20, output: 10 } }])
      expect(run?.spent_usd).toBe(1)
    },
  )

  test('includes aborted messages, with the usage that their provider reported', () => {
    const { run } = fold(...begin, asks(), aborts({ usage: USAGE, cost_usd: 1 }), asks(), aborts())
    expect(run?.usage).toEqual([{ model: 'm', usage: USAGE, cost_usd: 1 }])
    expect(run?.num_turns).toBe(0)
  })

  test('includes the usage of subagents and aborted messages', () => {
    const nested = { agent_run_id: 'a', cost_usd: 2 }
    const { run } = fold(
      ...begin,
      asks(),
      completes({ cost_usd: 1 }),
      ...agent,
      asks('m', 'a'),
      completes(nested),
      asks('m', 'a'),
      aborts({ ...nested, usage: USAGE }),
    )
    expect(run?.usage).toEqual([{ model: 'm', usage: { ...USAGE, input: 30, output: 15 }, cost_usd: 5 }])
  })

  test('keeps writes for an hour apart', () => {
    const hour = { ...USAGE, cache_write: 9, cache_write_1h: 4 }
    const { run } = fold(...begin, asks(), completes({ usage: hour }), asks(), completes({ usage: hour }))
    expect(run?.usage[0]?.usage).toMatchObject({ cache_write: 18, cache_write_1h: 8 })
  })
})

describe('a message that did not fit the model', () => {
  const failed = (code: string): SessionEvent => ({
    type: 'run.failed',
    ...at,
    error: { code, message: 'm', retryable: false },
    usage_by_model: [],
    duration_ms: 0,
    num_turns: 0,
  })

  test('is left out of the history, so that the next one can be answered', () => {
    expect(fold(...begin, asks(), aborts(), failed('context_too_long')).messages).toEqual([])
  })

  test('is kept after any other failure', () => {
    expect(fold(...begin, asks(), aborts(), failed('model_overloaded')).messages).toHaveLength(1)
  })
})
