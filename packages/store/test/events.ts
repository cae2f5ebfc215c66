/** Events for store tests: small, valid, and unique by content. */
import type { EventOf, SessionEvent } from '@toolwire/core'

export const TS = '2026-03-01T10:00:00.000Z'

/** A fact. */
export const note = (value: unknown): EventOf<'note'> => ({ type: 'note', ts: TS, name: 'test', value })

/** A preview: the text at its offset, `ms` after the fixed time. */
export const delta = (text: string, offset = 0, ms = 0): EventOf<'block.delta'> => ({
  type: 'block.delta',
  ts: new Date(Date.parse(TS) + ms).toISOString(),
  run_id: 'run_1',
  turn: 1,
  block_id: 'msg_1.0',
  offset,
  text,
})

/** A user message; a system notice on request. */
export const inputMessage = (text: string, role: 'user' | 'system' = 'user'): EventOf<'input.message'> => ({
  type: 'input.message',
  ts: TS,
  run_id: 'run_1',
  message_id: 'msg_0',
  role,
  content: [{ type: 'text', text }],
})

/** Completed text of a model. */
export const completedText = (text: string): EventOf<'block.completed'> => ({
  type: 'block.completed',
  ts: TS,
  run_id: 'run_1',
  turn: 1,
  block_id: 'msg_1.0',
  text,
})

export const turnCompleted = (message: string): EventOf<'turn.completed'> => ({
  type: 'turn.completed',
  ts: TS,
  run_id: 'run_1',
  turn: 1,
  message_id: message,
  stop_reason: 'end_turn',
  finish: 'stop',
  usage: { input: 10, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 },
  has_next: false,
})

/** A whole streamed message: start, `count` previews with growing offsets, completion, end of turn. */
export function message(id: string, count: number): readonly SessionEvent[] {
  const words = ['the ', 'quick ', '棕色', '狐狸 ', 'jumps ', 'over ', '🦊', 'dogs. ']
  const events: SessionEvent[] = [
    {
      type: 'message.started',
      ts: TS,
      run_id: 'run_1',
      turn: 1,
      message_id: id,
      provider_message_id: `p_${id}`,
      role: 'assistant',
    },
    {
      type: 'block.started',
      ts: TS,
      run_id: 'run_1',
      turn: 1,
      message_id: id,
      block_id: `${id}.0`,
      index: 0,
      run_index: 0,
      kind: 'text',
    },
  ]
  let text = ''
  for (let i = 0; i < count; i++) {
    const word = words[i % words.length] ?? ''
    events.push({ ...delta(word, text.length, i * 17), block_id: `${id}.0` })
    text += word
  }
  events.push(
    { type: 'block.completed', ts: TS, run_id: 'run_1', turn: 1, block_id: `${id}.0`, text },
    turnCompleted(id),
  )
  return events
}
