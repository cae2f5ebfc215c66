/** A call that asks twice: an answer belongs to the question that it names. */
import { expect, test } from 'vitest'
import { evolve, initial, next, type SessionEvent } from '../../src/index.ts'

const ts = '2026-01-01T00:00:00.000Z'
const at = { ts, run_id: 'r1' }
const asked = (approval_id: string): SessionEvent => ({
  type: 'tool.approval_requested',
  ...at,
  approval_id,
  call_id: 'c1',
  name: 'form',
  kind: 'question',
  allow_edit: false,
  resumes: true,
})
const answered = (approval_id: string): SessionEvent => ({
  type: 'input.approval',
  ts,
  approval_id,
  call_id: 'c1',
  decision: 'approved',
  answer_text: approval_id,
})
const tool = { call_id: 'c1', name: 'form', tool_type: 'function', executor: 'server' } as const
const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const begun: readonly SessionEvent[] = [
  { type: 'run.started', ...at, conversation_id: 'r1', trigger: 'message', client_tools: [], model: 'm' },
  { type: 'turn.started', ...at, turn: 1, provider: 'p', model: 'm', attempt: 1 },
  {
    type: 'block.started',
    ...at,
    index: 0,
    run_index: 0,
    kind: 'tool_use',
    message_id: 'm1',
    block_id: 'm1.0',
    tool,
  },
  { type: 'tool.ready', ...at, ...tool, input_text: '{}', input: {} },
  {
    type: 'turn.completed',
    ...at,
    message_id: 'm1',
    stop_reason: 'tool_use',
    finish: 'tool_calls',
    usage,
    has_next: true,
  },
]
const fold = (...events: readonly SessionEvent[]) =>
  [...begun, ...events].map((ev, i) => ({ seq: i + 1, epoch: 1, ev })).reduce(evolve, initial())

const closed: SessionEvent = {
  type: 'tool.approval_resolved',
  ...at,
  approval_id: 'a1',
  call_id: 'c1',
  decision: 'expired',
  by: 'system',
}

test('a late answer to the first question does not answer the second, which stays open', () => {
  const state = fold(asked('a1'), closed, asked('a2'), answered('a1'))
  expect(state.calls[0]?.approval).toMatchObject({ approval_id: 'a2' })
  expect(state.calls[0]?.approval?.answer).toBeUndefined()
  expect(next(state).do).toBe('pause')
})

test('the end of the first question does not end the second', () => {
  const state = fold(asked('a1'), asked('a2'), closed)
  expect(state.calls[0]?.approval?.decision).toBeUndefined()
})

test('the second question takes the answer that names it, once', () => {
  const state = fold(asked('a1'), closed, asked('a2'), answered('a2'), {
    ...answered('a2'),
    answer_text: 'no',
  } as SessionEvent)
  expect(state.calls[0]?.approval?.answer?.answer_text).toBe('a2')
  expect(next(state)).toMatchObject({ do: 'settle' })
})
