/** What a model is shown of a compacted history, folded from the log alone. */
import { describe, expect, test } from 'vitest'
import {
  evolve,
  type HistoryMessage,
  initial,
  modelHistory,
  type SessionEvent,
  type SessionState,
} from '../../src/index.ts'

const ts = '2026-01-01T00:00:00.000Z'
const usage = { input: 10, output: 5, cache_read: 3, cache_write: 2, reasoning: 0 }

const fold = (events: readonly SessionEvent[]): SessionState =>
  events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev })).reduce(evolve, initial())

const says = (text: string, run_id: string, role: 'user' | 'system' = 'user'): readonly SessionEvent[] => [
  { type: 'input.message', ts, run_id, message_id: `in_${run_id}`, role, content: [{ type: 'text', text }] },
  {
    type: 'run.started',
    ts,
    run_id,
    conversation_id: run_id,
    trigger: 'message',
    client_tools: [],
    model: 'm',
  },
]
const answers = (run_id: string, output: string): readonly SessionEvent[] => {
  const at = { ts, run_id }
  const call_id = `call_${run_id}`
  const tool = { call_id, name: 'peek', tool_type: 'function', executor: 'server' } as const
  const block_id = `${run_id}.0`
  return [
    { type: 'turn.started', ...at, turn: 0, provider: 'p', model: 'm', attempt: 1 },
    { type: 'message.started', ...at, message_id: run_id, provider_message_id: 'x', role: 'assistant' },
    {
      type: 'block.started',
      ...at,
      message_id: run_id,
      block_id,
      index: 0,
      run_index: 0,
      kind: 'tool_use',
      tool,
    },
    { type: 'block.completed', ...at, block_id, input_text: '{}' },
    {
      type: 'turn.completed',
      ...at,
      message_id: run_id,
      stop_reason: 'x',
      finish: 'tool_calls',
      usage,
      has_next: true,
    },
    {
      type: 'tool.completed',
      ...at,
      call_id,
      content: [],
      output_text: output,
      is_error: false,
      duration_ms: 1,
    },
  ]
}
const compacts = (
  replaced: number,
  shortened: string[],
  summary?: string,
): Extract<SessionEvent, { type: 'history.compacted' }> => ({
  type: 'history.compacted',
  ts,
  replaced,
  shortened,
  ...(summary === undefined ? {} : { summary }),
})

const roles = (messages: readonly HistoryMessage[]): readonly string[] => messages.map(one => one.role)
const LONG = 'x'.repeat(5000)
const log = [...says('one', 'r1'), ...answers('r1', LONG), ...says('two', 'r2')]

describe('a compaction', () => {
  test('puts its summary in the place of the first messages, and leaves the history itself whole', () => {
    const state = fold([...log, compacts(3, [], 'In short.')])
    expect(modelHistory(state)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'In short.' }] },
      { role: 'user', content: [{ type: 'text', text: 'two' }] },
    ])
    expect(roles(state.messages)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  test('shows the beginning of a shortened output, and says how long it was', () => {
    const state = fold([...log, compacts(0, ['call_r1'])])
    const [, , tool] = modelHistory(state)
    const text = tool?.role === 'tool' ? tool.results[0]?.output_text : ''
    expect(text).toMatch(/^x{400}\n\[This output of 5000 characters was shortened/)
    expect(JSON.stringify(state.messages)).toContain(LONG)
  })

  test('keeps what system messages say, where they stood', () => {
    const start: SessionEvent[] = [
      ...says('be brief', 'r0', 'system'),
      ...says('one', 'r1'),
      ...answers('r1', 'short'),
      ...says('now be long', 'r2', 'system'),
      ...says('two', 'r3'),
    ]
    const shown = modelHistory(fold([...start, compacts(5, [], 'In short.')]))
    expect(shown.map(one => ('content' in one ? JSON.stringify(one.content) : ''))).toEqual(
      ['be brief', 'In short.', 'now be long', 'two'].map(text => JSON.stringify([{ type: 'text', text }])),
    )
    expect(roles(shown)).toEqual(['system', 'user', 'system', 'user'])
  })

  test('is news until a turn is completed', () => {
    const before = fold([...log, compacts(3, [], 'In short.')])
    expect(before.compaction?.is_news).toBe(true)
    expect(fold([...log, compacts(3, [], 'In short.'), ...answers('r2', 'ok')]).compaction?.is_news).toBe(
      false,
    )
  })

  test('makes the size of the context unknown until the provider’s next count', () => {
    expect(fold(log).context_tokens).toBe(20)
    expect(fold([...log, compacts(3, [], 'In short.')]).context_tokens).toBeUndefined()
  })

  test('of an agent that is resumed later still holds', () => {
    const at = { ts, run_id: 'r1', agent_run_id: 'a' }
    const spec = { ...at, name: 'n', parent_call_id: 'c', prompt: 'look' } as const
    const totals = { usage_by_model: [], duration_ms: 0, num_turns: 0 }
    const state = fold([
      ...says('one', 'r1'),
      { type: 'agent.started', ...spec },
      {
        type: 'run.started',
        ...at,
        conversation_id: 'a',
        trigger: 'message',
        client_tools: [],
        model: 'm',
      },
      { ...compacts(1, [], 'It looked.'), ...at },
      {
        type: 'run.completed',
        ...at,
        status: 'success',
        finish: 'stop',
        result_text: '',
        ...totals,
      },
      { type: 'agent.finished', ...at, outcome: 'success' },
      { type: 'agent.started', ...spec, agent_run_id: 'b', prompt: 'again', resumes: 'a' },
    ])
    const agent = state.agents['b']
    if (!agent) throw new Error('not started')
    expect(modelHistory(agent).map(one => ('content' in one ? one.content : []))).toEqual([
      [{ type: 'text', text: 'It looked.' }],
      [{ type: 'text', text: 'again' }],
    ])
  })
})
