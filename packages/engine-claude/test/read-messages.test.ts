/** The child's messages as parts: the sequences are those that the program was seen to write. */
import type { ModelPart } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { initialRead, type ReadInput, type ReadOutput, stepRead } from '../src/read-messages.ts'

type Said = Readonly<Record<string, unknown>>

function read(...said: readonly (Said | ReadInput)[]): readonly ReadOutput[] {
  let state = initialRead()
  return said.flatMap(one => {
    const input =
      one['type'] === 'reached' ? (one as ReadInput) : ({ type: 'said', message: one } as ReadInput)
    const [next, outputs] = stepRead(state, input)
    state = next
    return outputs
  })
}

const parts = (outputs: readonly ReadOutput[]): readonly ModelPart[] =>
  outputs.flatMap(output => (output.type === 'part' ? [output.part] : []))
const shape = (outputs: readonly ReadOutput[]): readonly string[] =>
  outputs.map(output => (output.type === 'part' ? output.part.type : output.type))

const event = (type: string, more: Said = {}): Said => ({ type: 'stream_event', event: { type, ...more } })
const start = (id: string): Said =>
  event('message_start', { message: { id, model: 'claude', usage: { input_tokens: 7, output_tokens: 1 } } })
const block = (index: number, content_block: Said): Said =>
  event('content_block_start', { index, content_block })
const delta = (index: number, given: Said): Said => event('content_block_delta', { index, delta: given })
const stop = (index: number): Said => event('content_block_stop', { index })
const text = (index: number, ...pieces: readonly string[]): readonly Said[] => [
  block(index, { type: 'text', text: '' }),
  ...pieces.map(piece => delta(index, { type: 'text_delta', text: piece })),
  stop(index),
]
const call = (index: number, id: string, ...pieces: readonly string[]): readonly Said[] => [
  block(index, { type: 'tool_use', id, name: 'mcp__gateway__look', input: {} }),
  ...['', ...pieces].map(partial_json => delta(index, { type: 'input_json_delta', partial_json })),
  stop(index),
]
const ending = (stop_reason: string): readonly Said[] => [
  event('message_delta', { delta: { stop_reason }, usage: { output_tokens: 9 } }),
  event('message_stop'),
]
const said = (id: string, content: Said, more: Said = {}): Said => ({
  type: 'assistant',
  message: { id, model: 'claude', content: [content], stop_reason: null, ...more },
})
const result: Said = { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.5 }

describe('a streamed message', () => {
  test('with calls is over at its end, and what is repeated as a whole is not said twice', () => {
    const outputs = read(
      start('msg_1'),
      ...text(0, 'Let me', ' look.'),
      said('msg_1', { type: 'text', text: 'Let me look.' }),
      ...call(1, 'toolu_1', '{"at":', '"home"}'),
      said('msg_1', { type: 'tool_use', id: 'toolu_1', name: 'mcp__gateway__look', input: { at: 'home' } }),
      ...call(2, 'toolu_2'),
      ...ending('tool_use'),
    )
    expect(parts(outputs)).toEqual([
      {
        type: 'start',
        provider_message_id: 'msg_1',
        model: 'claude',
        usage: { input: 7, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 },
      },
      { type: 'block-start', index: 0, kind: 'text' },
      { type: 'block-delta', index: 0, text: 'Let me' },
      { type: 'block-delta', index: 0, text: ' look.' },
      { type: 'block-end', index: 0 },
      {
        type: 'block-start',
        index: 1,
        kind: 'tool_use',
        tool: { id: 'toolu_1', name: 'mcp__gateway__look' },
      },
      { type: 'block-delta', index: 1, input_text: '{"at":' },
      { type: 'block-delta', index: 1, input_text: '"home"}' },
      { type: 'block-end', index: 1 },
      {
        type: 'block-start',
        index: 2,
        kind: 'tool_use',
        tool: { id: 'toolu_2', name: 'mcp__gateway__look' },
      },
      { type: 'block-delta', index: 2, input_text: '{}' },
      { type: 'block-end', index: 2 },
      {
        type: 'end',
        stop_reason: 'tool_use',
        finish: 'tool_calls',
        usage: { input: 7, output: 9, cache_read: 0, cache_write: 0, reasoning: 0 },
      },
    ])
  })

  test('without calls is over when the turn is, with what the turn cost', () => {
    const before = [start('msg_1'), ...text(0, 'Hi.'), ...ending('end_turn')]
    expect(shape(read(...before))).not.toContain('end')
    const outputs = read(...before, result, start('msg_2'), ...text(0, 'Bye.'), ...ending('end_turn'), {
      ...result,
      total_cost_usd: 0.75,
    })
    const ends = parts(outputs).filter(part => part.type === 'end')
    expect(ends.map(part => [part.finish, part.cost_usd])).toEqual([
      ['stop', 0.5],
      ['stop', 0.25],
    ])
    expect(shape(outputs).at(-1)).toBe('idle')
  })

  test('that turns out not to be the last one leads on to the next', () => {
    const outputs = read(start('msg_1'), ...text(0, 'No.'), ...ending('refusal'), start('msg_2'))
    expect(parts(outputs).slice(-2)).toMatchObject([
      { type: 'end', stop_reason: 'refusal', finish: 'pause' },
      { type: 'start', provider_message_id: 'msg_2' },
    ])
  })

  test('keeps thinking with its signature', () => {
    const outputs = read(
      start('msg_1'),
      block(0, { type: 'thinking', thinking: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      stop(0),
    )
    expect(parts(outputs).slice(1)).toEqual([
      { type: 'block-start', index: 0, kind: 'thinking' },
      { type: 'block-delta', index: 0, thinking: 'Hm.' },
      { type: 'block-delta', index: 0, signature: 'c2ln' },
      { type: 'block-end', index: 0 },
    ])
  })
})

describe('an interrupted message', () => {
  test('is reported as interrupted, not as ended, and its retry under the same id is a separate message', () => {
    const outputs = read(
      start('msg_1'),
      ...text(0, 'Hel'),
      event('message_stop'),
      start('msg_1'),
      ...text(0, 'Hello'),
    )
    expect(shape(outputs)).toEqual([
      'start',
      'block-start',
      'block-delta',
      'block-end',
      'cut',
      'start',
      'block-start',
      'block-delta',
      'block-end',
    ])
    expect(outputs.find(output => output.type === 'cut')).toEqual({ type: 'cut', survived: false })
  })

  test('survives in the child when a block of it was complete', () => {
    const outputs = read(
      start('msg_1'),
      ...text(0, 'Whole.'),
      said('msg_1', { type: 'text', text: 'Whole.' }),
      block(1, { type: 'tool_use', id: 'toolu_1', name: 'x', input: {} }),
      event('message_stop'),
    )
    expect(outputs.at(-1)).toEqual({ type: 'cut', survived: true })
  })

  test('and came back as a whole is over when its calls have reached us', () => {
    const whole = { stop_reason: 'tool_use', usage: { output_tokens: 9 } }
    const tool = (id: string): Said => ({
      type: 'tool_use',
      id,
      name: 'mcp__gateway__look',
      input: { at: id },
    })
    const before = [
      start('msg_1'),
      event('message_stop'),
      said('msg_2', { type: 'text', text: 'Let me look.' }, whole),
      said('msg_2', tool('toolu_1'), whole),
      said('msg_2', tool('toolu_2'), whole),
    ]
    const reached = (...ids: readonly string[]): ReadInput => ({ type: 'reached', call_ids: new Set(ids) })
    expect(shape(read(...before, reached('toolu_1')))).not.toContain('end')
    const outputs = read(...before, reached('toolu_1'), reached('toolu_1', 'toolu_2'))
    const told = parts(outputs).slice(1)
    expect(told.map(part => part.type).join(' ')).toBe(
      'start block-start block-delta block-end block-start block-delta block-end block-start block-delta block-end end',
    )
    expect(told.at(-1)).toMatchObject({ type: 'end', finish: 'tool_calls', usage: { output: 9 } })
  })
})

describe('beside messages', () => {
  test('results of calls come with their text, images and error mark', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }
    const content = [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'plain' },
      {
        type: 'tool_result',
        tool_use_id: 'toolu_2',
        is_error: true,
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', source },
        ],
      },
    ]
    expect(read({ type: 'user', message: { role: 'user', content } })).toEqual([
      { type: 'result', call_id: 'toolu_1', output_text: 'plain', content: [], is_error: false },
      {
        type: 'result',
        call_id: 'toolu_2',
        output_text: 'a',
        content: [{ type: 'image', source }],
        is_error: true,
      },
    ])
  })

  test('an error dressed up as a message is an error', () => {
    const outputs = read(
      { ...said('fake', { type: 'text', text: 'API Error: nope' }), error: 'invalid_request' },
      { ...result, is_error: true },
    )
    expect(shape(outputs)).toEqual(['error', 'idle'])
    expect(parts(outputs)[0]).toMatchObject({ error: { code: 'model_error', message: 'API Error: nope' } })
  })

  test('a refusal stays one, whatever the program says about it afterwards', () => {
    const outputs = read(
      start('msg_1'),
      ...text(0, 'No.'),
      ...ending('refusal'),
      { ...said('fake', { type: 'text', text: 'API Error: start anew' }), error: 'invalid_request' },
      { ...result, is_error: true },
    )
    expect(parts(outputs).at(-1)).toMatchObject({ type: 'end', stop_reason: 'refusal', finish: 'refusal' })
  })

  test('a turn that failed without a word is an error too', () => {
    const outputs = read({
      ...result,
      subtype: 'error_during_execution',
      is_error: true,
      errors: ['it broke'],
    })
    expect(parts(outputs)).toMatchObject([{ type: 'error', error: { message: 'it broke' } }])
  })

  test('a retry reports if trying again can help', () => {
    const retry = (error_status: number, error: string): Said => ({
      type: 'system',
      subtype: 'api_retry',
      error_status,
      error,
    })
    expect(read(retry(401, 'authentication_failed'), retry(529, 'overloaded'))).toMatchObject([
      { type: 'retry', error: { code: 'model_auth', retryable: false, http_status: 401 } },
      { type: 'retry', error: { code: 'model_overloaded', retryable: true } },
    ])
  })

  test('what an agent inside a call says stays there', () => {
    expect(read({ ...start('msg_1'), parent_tool_use_id: 'toolu_1' })).toEqual([])
  })
})
