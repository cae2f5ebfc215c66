/** Streams of the Responses API, also from servers that only resemble it. */
import type { ModelPart } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { responsesStream } from '../../src/openai-responses/stream.ts'
import { said } from '../collect.ts'
import { expectWellFormed } from '../well-formed-parts.ts'

const ORIGIN = { provider: 'p', model: 'm' }
type Event = Readonly<Record<string, unknown>>

function read(events: readonly Event[]): readonly ModelPart[] {
  const protocol = responsesStream(ORIGIN)
  let state = protocol.initial
  const all: ModelPart[] = []
  for (const event of events) {
    const [next, parts] = protocol.step(state, { data: JSON.stringify(event) })
    state = next
    all.push(...parts)
    if (parts.some(part => part.type === 'end' || part.type === 'error')) break
  }
  const last = all.at(-1)?.type
  const parts = last === 'end' || last === 'error' ? all : [...all, ...protocol.end(state)]
  expectWellFormed(parts)
  return parts
}

const created = {
  type: 'response.created',
  response: { id: 'resp_1', model: 'gpt-x', status: 'in_progress' },
}
const added = (output_index: number, item: Event): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
})
const done = (output_index: number, item: Event): Event => ({
  type: 'response.output_item.done',
  output_index,
  item,
})
const text = (value: string, more: Event = {}): Event => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: value, annotations: [] }],
  ...more,
})
const delta = (output_index: number, piece: string): Event => ({
  type: 'response.output_text.delta',
  output_index,
  content_index: 0,
  delta: piece,
})
const completed = (more: Event = {}): Event => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output: [], ...more },
})

describe('one answer', () => {
  it('with reasoning, text, a citation and a call', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'one' },
        { type: 'summary_text', text: 'two' },
      ],
      encrypted_content: 'sealed',
    }
    const note = { type: 'url_citation', url: 'https://x', start_index: 0, end_index: 5, title: 'x' }
    const usage = {
      input_tokens: 20,
      input_tokens_details: {
        cached_tokens: 5,
        cache_write_tokens: 3,
        cache_write_tokens_details: { ttl_30m_tokens: 1, ttl_12h_tokens: 2 },
      },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 2 },
    }
    const fn = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '' }
    const parts = read([
      created,
      added(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'half' }),
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'one' },
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 1, delta: 'two' },
      done(0, { ...item, status: 'completed' }),
      added(1, text('', { content: [] })),
      delta(1, 'Hello'),
      { type: 'response.output_text.annotation.added', output_index: 1, content_index: 0, annotation: note },
      done(1, {
        ...text('Hello there', { phase: 'commentary' }),
        content: [{ type: 'output_text', text: 'Hello there', annotations: [note] }],
      }),
      added(2, fn),
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a":' },
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '1}' },
      done(2, { ...fn, arguments: '{"a":1}' }),
      completed({ usage }),
    ])
    expect(parts).toEqual([
      { type: 'start', provider_message_id: 'resp_1', model: 'gpt-x' },
      { type: 'block-start', index: 0, kind: 'thinking' },
      { type: 'block-delta', index: 0, thinking: 'one' },
      { type: 'block-delta', index: 0, thinking: '\n\n' },
      { type: 'block-delta', index: 0, thinking: 'two' },
      { type: 'block-end', index: 0, opaque: { provider: 'p', model: 'm', data: item } },
      { type: 'block-start', index: 1, kind: 'text' },
      { type: 'block-delta', index: 1, text: 'Hello' },
      { type: 'block-delta', index: 1, citation: note },
      { type: 'block-delta', index: 1, text: ' there' },
      { type: 'block-end', index: 1, opaque: { provider: 'p', data: { phase: 'commentary' } } },
      { type: 'block-start', index: 2, kind: 'tool_use', tool: { id: 'call_1', name: 'f' } },
      { type: 'block-delta', index: 2, input_text: '{"a":' },
      { type: 'block-delta', index: 2, input_text: '1}' },
      { type: 'block-end', index: 2 },
      {
        type: 'end',
        stop_reason: 'completed',
        finish: 'tool_calls',
        usage: { input: 12, output: 7, cache_read: 5, cache_write: 3, cache_write_12h: 2, reasoning: 2 },
      },
    ])
  })

  it('with a freeform call, whose text becomes arguments however it is cut', () => {
    const item = { type: 'custom_tool_call', id: 'ctc', call_id: 'c', name: 'patch', input: '' }
    const input = 'a "b"\n\\ 😀'
    const events = [...input].map(piece => ({
      type: 'response.custom_tool_call_input.delta',
      output_index: 0,
      delta: piece,
    }))
    const parts = read([created, added(0, item), ...events, done(0, { ...item, input }), completed()])
    expect(JSON.parse(said(parts).calls[0]?.input ?? '')).toEqual({ input })
  })

  it('keeps a web search, an image and an item that it does not know', () => {
    const items = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'image_generation_call', id: 'ig_1', result: 'AA==' },
      { type: 'future_call', id: 'x_1', payload: { deep: true } },
    ]
    const parts = read([created, ...items.map((item, n) => done(n, item)), completed()])
    const blocks = parts.flatMap(part => (part.type === 'block-start' ? [[part.kind, part.data]] : []))
    expect(blocks).toEqual([
      ['provider_tool_use', items[0]],
      ['file', items[1]],
      ['provider_tool_use', items[2]],
    ])
    expect(parts.at(-1)).toMatchObject({ type: 'end', finish: 'stop' })
  })

  it('with a refusal', () => {
    const parts = read([
      created,
      added(0, text('', { content: [] })),
      { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'No' },
      done(0, { ...text(''), content: [{ type: 'refusal', refusal: 'No.' }] }),
      completed(),
    ])
    expect(parts.find(part => part.type === 'block-start')).toMatchObject({ kind: 'refusal' })
    expect(said(parts).text).toBe('No.')
  })
})

describe('servers that differ', () => {
  const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }

  it.for<readonly [string, readonly Event[]]>([
    ['no deltas, items only when done', [created, done(0, text('Hello')), completed()]],
    ['items only at the very end', [created, completed({ output: [text('Hello')] })]],
    ['no start', [delta(0, 'Hello'), completed()]],
    ['no announcement and no end of the item', [created, delta(0, 'Hel'), delta(0, 'lo'), completed()]],
    [
      'changed ids',
      [
        created,
        added(0, text('', { content: [] })),
        { ...delta(0, 'Hello'), item_id: 'z' },
        done(0, text('Hello', { id: 'y' })),
        completed(),
      ],
    ],
    ['the item done twice', [created, done(0, text('Hello')), done(0, text('Hello')), completed()]],
    ['a listed end after items', [created, done(0, text('Hello')), completed({ output: [text('Hello')] })]],
    [
      '`response.done` with a status',
      [created, done(0, text('Hello')), { type: 'response.done', response: { status: 'completed' } }],
    ],
  ])('%s', ([, events]) => {
    const parts = read(events)
    expect(said(parts).text).toBe('Hello')
    expect(parts.at(-1)).toMatchObject({ type: 'end', finish: 'stop' })
  })

  it('calls that share a number are two calls', () => {
    const second = { ...item, call_id: 'd', id: 'fc_2' }
    const parts = read([
      created,
      added(0, item),
      done(0, item),
      added(0, second),
      done(0, second),
      completed(),
    ])
    expect(said(parts).calls.map(one => one.id)).toEqual(['c', 'd'])
  })

  it('a mark or `response.done` without a status is no end', () => {
    expect(read([created, delta(0, 'x'), { type: 'response.done' }]).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'model_unavailable' },
    })
  })
})

describe('ends', () => {
  const ended = (type: string, response: Event): ModelPart | undefined =>
    read([created, delta(0, 'x'), { type, response }]).at(-1)

  it.for([
    ['max_output_tokens', { type: 'end', finish: 'length' }],
    ['content_filter', { type: 'end', finish: 'content_filter' }],
    ['something_else', { type: 'error', error: { code: 'model_error' } }],
  ] as const)('incomplete by %s', ([reason, expected]) => {
    const response = { status: 'incomplete', incomplete_details: { reason } }
    expect(ended('response.incomplete', response)).toMatchObject(expected)
  })

  it.for([
    ['rate_limit_exceeded', 'model_rate_limited', true],
    ['insufficient_quota', 'model_rate_limited', false],
    ['server_is_overloaded', 'model_overloaded', true],
    ['slow_down', 'model_overloaded', true],
    ['context_length_exceeded', 'context_too_long', false],
    ['invalid_prompt', 'bad_request', false],
    ['cyber_policy', 'bad_request', false],
    ['misalignment_policy_violation', 'bad_request', false],
    ['bio_policy', 'bad_request', false],
    ['invalid_image', 'bad_request', false],
    ['server_error', 'model_unavailable', true],
  ] as const)('%s is %s', ([code, ours, retryable]) => {
    const error = { code, message: 'Please try again in 1.5s.' }
    const details = { code, retry_after_ms: 1500 }
    const expected = { type: 'error', error: { code: ours, retryable, details } }
    expect(ended('response.failed', { status: 'failed', error })).toMatchObject(expected)
    expect(read([created, { type: 'error', error }]).at(-1)).toMatchObject(expected)
    expect(read([created, { type: 'error', ...error }]).at(-1)).toMatchObject(expected)
  })

  it('cancelled is interrupted', () => {
    const expected = { type: 'error', error: { code: 'interrupted' } }
    expect(ended('response.cancelled', { status: 'cancelled' })).toMatchObject(expected)
    expect(ended('response.incomplete', { status: 'cancelled' })).toMatchObject(expected)
  })
})
