/** Small logs of one run, written by hand. */
import type { Finish, Rec, SessionEvent } from '@toolwire/core'

export type Body = { readonly type: SessionEvent['type'] } & Record<string, unknown>

const usage = { input: 10, output: 5, cache_read: 3, cache_write: 2, reasoning: 1 }
export const totals = { usage_by_model: [], duration_ms: 1, num_turns: 1 }

export const records = (bodies: readonly Body[]): readonly Rec[] =>
  bodies.map((body, i) => ({
    seq: i + 1,
    epoch: 1,
    ev: { ts: '2026-01-01T00:00:00.000Z', run_id: 'r', ...body } as unknown as SessionEvent,
  }))

export const START: readonly Body[] = [
  { type: 'run.started', conversation_id: 'c', trigger: 'message', client_tools: [], model: 'upstream' },
  { type: 'turn.started', turn: 0, provider: 'demo', model: 'upstream', attempt: 1 },
  { type: 'message.started', message_id: 'm', provider_message_id: 'p', role: 'assistant' },
]

/** A block that came in one piece. A `tool` makes it a call of the client, unless it says otherwise. */
export const block = (index: number, kind: string, payload: object, tool?: object): readonly Body[] => [
  {
    type: 'block.started',
    message_id: 'm',
    block_id: `m.${index}`,
    index,
    run_index: index,
    kind,
    ...(tool ? { tool: { tool_type: 'function', executor: 'client', ...tool } } : {}),
  },
  { type: 'block.completed', block_id: `m.${index}`, ...payload },
]

export const ended = (finish: Finish, stop_reason = 'x', stop_details?: unknown): readonly Body[] => [
  { type: 'turn.completed', message_id: 'm', stop_reason, finish, usage, stop_details, has_next: false },
  { type: 'run.completed', status: 'success', finish, result_text: '', ...totals },
]

export const asked = (...pending: readonly object[]): readonly Body[] => [
  {
    type: 'turn.completed',
    message_id: 'm',
    stop_reason: 'tool_use',
    finish: 'tool_calls',
    usage,
    has_next: true,
  },
  { type: 'run.paused', reason: 'client_tool_execution', pending },
]
