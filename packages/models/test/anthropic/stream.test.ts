/** The Messages stream as a fold, event by event. */
import type { ModelPart } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { anthropicStream } from '../../src/anthropic/stream.ts'
import { said } from '../collect.ts'

type Event = Readonly<Record<string, unknown>>
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', usage: { input_tokens: 10, output_tokens: 1 } },
}
const open = (index: number, content_block: Event): Event => ({
  type: 'content_block_start',
  index,
  content_block,
})
const text = (index: number, value: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text: value },
})
const json = (index: number, partial_json: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
})
const close = (index: number): Event => ({ type: 'content_block_stop', index })
const finish = (stop_reason: string | null, usage: Event = {}): readonly Event[] => [
  { type: 'message_delta', delta: { stop_reason }, usage },
  { type: 'message_stop' },
]
const tool = (id: string, name: string, input: unknown = {}): Event => ({ type: 'tool_use', id, name, input })

function run(...events: readonly Event[]): readonly ModelPart[] {
  let state = anthropicStream.initial
  const all: ModelPart[] = []
  for (const event of events) {
    const [next, parts] = anthropicStream.step(state, { data: JSON.stringify(event) })
    state = next
    all.push(...parts)
  }
  return all.some(part => part.type === 'end' || part.type === 'error')
    ? all
    : [...all, ...anthropicStream.end(state)]
}

describe('usage', () => {
  it('is cumulative: later numbers replace earlier ones, and absent ones stay', () => {
    const parts = run(
      {
        ...start,
        message: {
          ...start.message,
          usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 },
        },
      },
      { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 7 } },
      ...finish('end_turn', { output_tokens: 9, output_tokens_details: { thinking_tokens: 2 } }),
    )
    expect(parts.at(-1)).toMatchObject({
      usage: { input: 10, output: 9, cache_read: 4, cache_write: 0, reasoning: 2 },
    })
  })
})

describe('stop reasons', () => {
  it.for([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['pause_turn', 'pause'],
    ['something_new', 'stop'],
  ])('%s is %s, and the raw word is kept', ([reason, expected]) => {
    expect(run(start, ...finish(reason ?? ''))).toMatchObject([{}, { stop_reason: reason, finish: expected }])
  })

  it('are overruled by calls when a gateway says the turn ended', () => {
    const parts = run(start, open(0, tool('t', 'x')), close(0), ...finish('end_turn'))
    expect(parts.at(-1)).toMatchObject({ finish: 'tool_calls', stop_reason: 'end_turn' })
  })

  it('do not make a truncated call executable', () => {
    const parts = run(start, open(0, tool('t', 'x')), json(0, '{"a":'), close(0), ...finish('max_tokens'))
    expect(parts.at(-1)).toMatchObject({ finish: 'length' })
  })

  it('carry the details of a refusal', () => {
    const parts = run(
      start,
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: { category: 'x' } } },
      { type: 'message_stop' },
    )
    expect(parts.at(-1)).toMatchObject({ stop_details: { category: 'x' } })
  })
})

describe('blocks', () => {
  it('keep raw argument text exactly as it came', () => {
    const pieces = ['', '{"a"', ':  1.0', ',"b":"\\u00e9"}']
    const parts = run(
      start,
      open(0, tool('t', 'x')),
      ...pieces.map(piece => json(0, piece)),
      close(0),
      ...finish('tool_use'),
    )
    expect(said(parts).calls[0]?.input).toBe('{"a":  1.0,"b":"\\u00e9"}')
  })

  it('give a call without arguments an empty object, and one with its input at the start that input', () => {
    const parts = run(
      start,
      open(0, tool('a', 'x')),
      json(0, ''),
      close(0),
      open(1, tool('b', 'y', { q: 1 })),
      close(1),
      ...finish('tool_use'),
    )
    expect(said(parts).calls.map(call => call.input)).toEqual(['{}', '{"q":1}'])
  })

  it('send a thinking block’s last signature once, when it ends', () => {
    const signature = (value: string): Event => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: value },
    })
    const parts = run(
      start,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      signature('old'),
      signature('new'),
      close(0),
      ...finish('end_turn'),
    )
    expect(parts.filter(part => part.type === 'block-delta' && part.signature !== undefined)).toMatchObject([
      { signature: 'new' },
    ])
  })

  it('keep redacted thinking and the provider’s own tools whole', () => {
    const redacted = { type: 'redacted_thinking', data: 'xyz' }
    const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }
    const found = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }
    const parts = run(
      start,
      open(0, redacted),
      close(0),
      open(1, search),
      json(1, '{"query":"q"}'),
      close(1),
      open(2, found),
      close(2),
      ...finish('end_turn'),
    )
    expect(parts.filter(part => part.type === 'block-start')).toMatchObject([
      { kind: 'redacted_thinking', data: redacted },
      { kind: 'provider_tool_use', data: search, tool: { id: 'srv_1', name: 'web_search' } },
      { kind: 'provider_tool_result', data: found },
    ])
    // Only our tools make a turn wait for results.
    expect(parts.at(-1)).toMatchObject({ finish: 'stop' })
  })

  it('pass citations on', () => {
    const citation = { type: 'char_location', cited_text: 'x' }
    const parts = run(
      start,
      open(0, { type: 'text', text: '' }),
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } },
      close(0),
      ...finish('end_turn'),
    )
    expect(parts).toContainEqual({ type: 'block-delta', index: 0, citation })
  })

  it('that are interleaved stay apart', () => {
    const parts = run(
      start,
      open(0, tool('a', 'x')),
      open(1, tool('b', 'y')),
      json(1, '{"b"'),
      json(0, '{"a"'),
      json(1, ':2}'),
      json(0, ':1}'),
      close(1),
      close(0),
      ...finish('tool_use'),
    )
    expect(said(parts).calls.map(call => call.input)).toEqual(['{"a":1}', '{"b":2}'])
  })

  it('with wrong numbers are attached by kind, and renumbered densely', () => {
    const parts = run(
      start,
      open(5, { type: 'text', text: '' }),
      text(0, 'hello'),
      close(0),
      open(5, tool('a', 'x')),
      json(7, '{}'),
      close(9),
      ...finish('tool_use'),
    )
    expect(said(parts)).toMatchObject({ text: 'hello', calls: [{ input: '{}' }] })
    expect(parts.flatMap(part => (part.type === 'block-start' ? [part.index] : []))).toEqual([0, 1])
  })

  it('without a start are opened by their text; arguments without a call are dropped', () => {
    const parts = run(start, json(0, '{"x":1}'), text(0, 'hi'), close(0), ...finish('end_turn'))
    expect(parts.map(part => part.type)).toEqual(['start', 'block-start', 'block-delta', 'block-end', 'end'])
  })

  it('without an end are closed with the message', () => {
    const parts = run(start, open(0, { type: 'text', text: '' }), text(0, 'hi'), ...finish('end_turn'))
    expect(parts.slice(-2).map(part => part.type)).toEqual(['block-end', 'end'])
  })
})

describe('what is not content', () => {
  it('pings, unknown events, unknown blocks and empty deltas return the very same state', () => {
    const [state] = anthropicStream.step(anthropicStream.initial, { data: JSON.stringify(start) })
    for (const event of [
      { type: 'ping' },
      { type: 'news_from_the_future', x: 1 },
      open(0, { type: 'hologram' }),
      text(0, ''),
      close(0),
    ]) {
      const [next, parts] = anthropicStream.step(state, { data: JSON.stringify(event) })
      expect(next).toBe(state)
      expect(parts).toEqual([])
    }
  })

  it('a second message_start does not begin a second message', () => {
    expect(run(start, start, ...finish('end_turn')).filter(part => part.type === 'start')).toHaveLength(1)
  })
})

describe('failures', () => {
  it('a stream without message_stop is an error, even after a stop reason', () => {
    const parts = run(start, open(0, { type: 'text', text: '' }), text(0, 'half'), {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
    })
    expect(parts.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'model_unavailable' },
      usage: { input: 10 },
    })
  })

  it.for([
    ['overloaded_error', 'model_overloaded'],
    ['rate_limit_error', 'model_rate_limited'],
    ['api_error', 'model_unavailable'],
    ['authentication_error', 'model_auth'],
    ['invalid_request_error', 'model_error'],
  ])('an error event of type %s is %s', ([type, code]) => {
    expect(run(start, { type: 'error', error: { type, message: 'no' } }).at(-1)).toMatchObject({
      error: { code, message: 'no', details: { type } },
    })
  })

  it('an event that is not JSON is an error that shows it', () => {
    const [, parts] = anthropicStream.step(anthropicStream.initial, { data: '{"type":"mess' })
    expect(parts).toMatchObject([{ type: 'error', error: { details: { frame: '{"type":"mess' } } }])
  })
})
