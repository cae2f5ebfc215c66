/** `result.data.result` is the response text of the whole exchange, as a client puts it together from the deltas. */
import type { Rec, SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatWire } from '../../src/index.ts'
import { randomLog } from '../random-log.ts'
import type { Shown } from './read-case.ts'

const framesOf = (log: readonly Rec[]): readonly Shown[] => {
  const step = chatWire.open({ session_id: 'session' })
  return log.flatMap(rec => step(rec).map(frame => JSON.parse(frame.data) as Shown))
}

const resultOf = (frame: Shown): unknown => (frame['data'] as Shown)['result']

/** Pairs of what a result says and what its client has read. */
function readResults(frames: readonly Shown[]): readonly { said: unknown; read: string }[] {
  const results: { said: unknown; read: string }[] = []
  let conversation: unknown
  let [whole, message, block] = ['', '', '']
  for (const frame of frames.filter(one => one['parent_tool_use_id'] === undefined)) {
    if (frame['conversation_id'] !== conversation) [whole, message, block] = ['', '', '']
    conversation = frame['conversation_id']
    const kind = frame.type === 'stream_event' ? frame['event_type'] : frame.type
    if (kind === 'message_start') [message, block] = ['', '']
    if (kind === 'content_block_start') block = ''
    if (kind === 'text_delta') block += frame['content']
    if (kind === 'content_block_stop') [message, block] = [message + block, '']
    if (kind === 'message_stop') [whole, message] = [whole + message, '']
    if (kind === 'result') results.push({ said: resultOf(frame), read: whole + message })
  }
  return results
}

test('the result of any session is the text of all messages of its conversation, over pauses', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), seed => {
      for (const { said, read } of readResults(framesOf(randomLog(seed)))) expect(said).toBe(read)
    }),
    { numRuns: 200 },
  )
})

const ts = '2026-01-01T00:00:00.000Z'
const at = { ts, run_id: 'r' }
const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const totals = { usage_by_model: [], duration_ms: 1, num_turns: 2 }

const say = (message_id: string, ...texts: readonly string[]): readonly SessionEvent[] => [
  { type: 'message.started', ...at, message_id, provider_message_id: message_id, role: 'assistant' },
  ...texts.flatMap((text, index): readonly SessionEvent[] => {
    const block_id = `${message_id}-${index}`
    return [
      { type: 'block.started', ...at, message_id, block_id, index, run_index: index, kind: 'text' },
      { type: 'block.completed', ...at, block_id, text },
    ]
  }),
]
const complete = (message_id: string): SessionEvent => ({
  type: 'turn.completed',
  ...at,
  message_id,
  stop_reason: 'end_turn',
  finish: 'stop',
  usage: USAGE,
  has_next: true,
})

const started: readonly SessionEvent[] = [
  { type: 'session.created', ts, cwd: '/', model: 'm', tools: [], permission_mode: 'default' },
  { type: 'run.started', ...at, conversation_id: 'r', trigger: 'message', client_tools: [], model: 'm' },
]
const textOf = (...events: readonly SessionEvent[]): unknown => {
  const log = [...started, ...events].map((ev, i) => ({ seq: i + 1, epoch: 1, ev }))
  const result = framesOf(log).find(frame => frame.type === 'result')
  return result && resultOf(result)
}

test('text before a tool call, and every block of a message, is part of the result', () => {
  const done: SessionEvent = {
    type: 'run.completed',
    ...at,
    status: 'success',
    finish: 'stop',
    result_text: 'It is 25 degrees.',
    ...totals,
  }
  const all = [...say('a', 'Let me look. '), complete('a'), ...say('b', 'It is ', '25 degrees.')]
  expect(textOf(...all, complete('b'), done)).toBe('Let me look. It is 25 degrees.')
})

test('a message that broke and was said again is in the result once', () => {
  const broken: SessionEvent = { type: 'message.aborted', ...at, message_id: 'a', reason: 'retry' }
  const done: SessionEvent = {
    type: 'run.completed',
    ...at,
    status: 'success',
    finish: 'stop',
    result_text: 'Whole.',
    ...totals,
  }
  expect(textOf(...say('a', 'Who'), broken, ...say('b', 'Whole.'), complete('b'), done)).toBe('Whole.')
})

test('a cancelled run keeps what its last message had said', () => {
  const cut: SessionEvent = { type: 'message.aborted', ...at, message_id: 'b', reason: 'cancelled' }
  const cancelled: SessionEvent = { type: 'run.cancelled', ...at, reason: 'user', ...totals }
  const all = [...say('a', 'One. '), complete('a'), ...say('b', 'Two.')]
  expect(textOf(...all, cut, cancelled)).toBe('One. Two.')
})
