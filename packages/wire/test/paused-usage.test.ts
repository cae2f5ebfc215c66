/** The totals of a pause: everything used so far, by nested agents and aborted messages too. */
import type { Rec, SessionEvent, Usage } from '@toolwire/core'
import { expect, test } from 'vitest'
import { chatWire, threadWire } from '../src/index.ts'

const ts = '2026-01-01T00:00:00.000Z'
const at = { ts, run_id: 'r' }
const USAGE: Usage = { input: 10, output: 5, cache_read: 1, cache_write: 0, reasoning: 0 }

const turn = (agent_run_id?: string): readonly SessionEvent[] => {
  const of = { ...at, ...(agent_run_id ? { agent_run_id } : {}) }
  return [
    { type: 'turn.started', ...of, turn: 0, provider: 'p', model: 'm', attempt: 1 },
    { type: 'message.started', ...of, message_id: 'x', provider_message_id: 'y', role: 'assistant' },
    {
      type: 'turn.completed',
      ...of,
      message_id: 'x',
      stop_reason: 'tool_use',
      finish: 'tool_calls',
      usage: USAGE,
      cost_usd: 0.5,
      has_next: true,
    },
  ]
}

const LOG: readonly SessionEvent[] = [
  { type: 'session.created', ts, cwd: '/', model: 'm', tools: [], permission_mode: 'default' },
  { type: 'run.started', ...at, conversation_id: 'r', trigger: 'message', client_tools: [], model: 'm' },
  { type: 'turn.started', ...at, turn: 0, provider: 'p', model: 'm', attempt: 1 },
  { type: 'message.aborted', ...at, message_id: '', reason: 'fallback', usage: USAGE, cost_usd: 0.5 },
  ...turn(),
  { type: 'agent.started', ...at, agent_run_id: 'a', name: 'n', parent_call_id: 'c', prompt: 'p' },
  ...turn('a'),
  { type: 'run.paused', ...at, reason: 'client_tool_execution', pending: [] },
]
const records: readonly Rec[] = LOG.map((ev, i) => ({ seq: i + 1, epoch: 1, ev }))

const frames = (wire: typeof chatWire): readonly Record<string, unknown>[] => {
  const step = wire.open({ session_id: '0a1b2c3d-0000-4000-8000-000000000001' })
  return records.flatMap(step).map(frame => JSON.parse(frame.data) as Record<string, unknown>)
}

test('on the thread wire', () => {
  const paused = frames(threadWire).find(frame => frame['type'] === 'conversation.paused')
  expect(paused?.['token_usage']).toEqual({ input_tokens: 33, output_tokens: 15, total_tokens: 48 })
})

test('on the chat wire', () => {
  const result = frames(chatWire).find(frame => frame['type'] === 'result')
  expect(result?.['data']).toMatchObject({
    subtype: 'paused',
    num_turns: 1,
    total_cost_usd: 1.5,
    usage: { input_tokens: 30, cache_read_input_tokens: 3, output_tokens: 15 },
  })
})
