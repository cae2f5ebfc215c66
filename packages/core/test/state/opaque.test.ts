/** Data of a provider stays on its part of the history. */
import { expect, test } from 'vitest'
import { evolve, initial, type Rec, type SessionEvent } from '../../src/index.ts'

test('opaque data of text, thinking and calls is in the history, and nothing is added to other parts', () => {
  const at = { ts: '2026-01-01T00:00:00.000Z', run_id: 'r' }
  const opaque = (data: unknown) => ({ opaque: { provider: 'p', data } })
  const tool = { call_id: 'c', name: 'f', tool_type: 'function', executor: 'client' } as const
  const block = (index: number, kind: 'text' | 'thinking' | 'tool_use', said: object): SessionEvent[] => [
    {
      type: 'block.started',
      ...at,
      message_id: 'm',
      block_id: `m.${index}`,
      index,
      run_index: index,
      kind,
      ...(kind === 'tool_use' ? { tool } : {}),
    },
    { type: 'block.completed', ...at, block_id: `m.${index}`, ...said },
  ]
  const events: SessionEvent[] = [
    { type: 'run.started', ...at, conversation_id: 'x', trigger: 'message', client_tools: [], model: 'm' },
    { type: 'turn.started', ...at, turn: 0, provider: 'p', model: 'm', attempt: 1 },
    { type: 'message.started', ...at, message_id: 'm', provider_message_id: 'x', role: 'assistant' },
    ...block(0, 'thinking', { thinking: 'hm', ...opaque({ sealed: 1 }) }),
    ...block(1, 'text', { text: 'a', ...opaque('x') }),
    ...block(2, 'text', { text: 'b' }),
    ...block(3, 'tool_use', { input_text: '{}', ...opaque([2]) }),
    {
      type: 'turn.completed',
      ...at,
      message_id: 'm',
      stop_reason: 'x',
      finish: 'tool_calls',
      usage: { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 },
      has_next: true,
    },
  ]
  const records = events.map((ev, place): Rec => ({ seq: place + 1, epoch: 1, ev }))
  const [message] = records.reduce(evolve, initial()).messages
  const content = message?.role === 'assistant' ? message.content : []
  expect(content.map(part => part.opaque?.data)).toEqual([{ sealed: 1 }, 'x', undefined, [2]])
  expect(content[2]).not.toHaveProperty('opaque')
})
