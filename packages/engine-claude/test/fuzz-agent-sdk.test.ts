/**
 * What the child process of the agent SDK says, with random wounds: nothing is thrown, blocks are opened before they
 * grow and closed once, a message has one end, and no more comes out than went in.
 */
import type { ModelPart } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedJson } from '../../core/test/mutate.ts'
import { initialRead, type ReadOutput, stepRead, toReadInput } from '../src/read-messages.ts'

const event = (given: object): object => ({ type: 'stream_event', event: given })
const usage = { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 2 }
const SAID: readonly object[] = [
  { type: 'system', subtype: 'init', session_id: 's', tools: ['a'] },
  { type: 'system', subtype: 'api_retry', error: 'overloaded', error_status: 529 },
  event({ type: 'message_start', message: { id: 'm1', model: 'claude', usage } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } }),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
  event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } }),
  event({ type: 'content_block_stop', index: 1 }),
  event({
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 't1', name: 'mcp__gateway__look', input: {} },
  }),
  event({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } }),
  event({ type: 'content_block_stop', index: 2 }),
  event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } }),
  event({ type: 'message_stop' }),
  {
    type: 'assistant',
    message: {
      id: 'm2',
      model: 'claude',
      usage,
      stop_reason: 'end_turn',
      content: [
        { type: 'text', text: 'whole' },
        { type: 'tool_use', id: 't2', name: 'x', input: { a: 1 } },
      ],
    },
  },
  { type: 'assistant', error: 'rate_limit', message: { content: [{ type: 'text', text: 'Slow down.' }] } },
  {
    type: 'user',
    message: {
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: 'done', is_error: false },
        {
          type: 'tool_result',
          tool_use_id: 't2',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          ],
        },
      ],
    },
  },
  { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.5 },
  { type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['a', 'b'], result: 'x' },
]

function read(said: readonly unknown[]): readonly ReadOutput[] {
  let state = initialRead(() => 0.1)
  return said.flatMap(raw => {
    const input = toReadInput(raw)
    if (!input) return []
    const [next, outputs] = stepRead(state, input)
    state = next
    return outputs
  })
}

/** Of each message from its start to its end, its error, or the start of the next one. */
function expectReadable(outputs: readonly ReadOutput[]): void {
  let open = new Set<number>()
  const parts = outputs.flatMap((output): readonly ModelPart[] =>
    output.type === 'part' ? [output.part] : [],
  )
  for (const part of parts) {
    if (part.type === 'start' || part.type === 'error') open = new Set()
    if (part.type === 'block-start') open.add(part.index)
    if (part.type === 'block-delta') expect(open.has(part.index)).toBe(true)
    if (part.type === 'block-end') expect(open.delete(part.index)).toBe(true)
    if ('usage' in part && part.usage)
      for (const count of Object.values(part.usage))
        expect(typeof count === 'boolean' || (Number.isFinite(count) && count >= 0)).toBe(true)
    if (part.type === 'error') expect([typeof part.error.code, part.error.message]).not.toContain('')
  }
  for (const output of outputs)
    if (output.type === 'result')
      expect([typeof output.call_id, typeof output.output_text]).toEqual(['string', 'string'])
}

const place = fc.nat({ max: SAID.length - 1 })
const wounded = fc.oneof(
  fc.array(
    fc.oneof(
      place.map((at): unknown => SAID[at]),
      mutatedJson(SAID),
    ),
    { maxLength: 30 },
  ),
  fc
    .array(fc.tuple(place, mutatedJson(SAID)), { minLength: 1, maxLength: 4 })
    .map(changes => changes.reduce<unknown[]>((said, [at, value]) => said.with(at, value), [...SAID])),
)

test('whatever the child says becomes well-formed parts, results and ends', () => {
  fc.assert(
    fc.property(wounded, said => {
      const outputs = read(said)
      expectReadable(outputs)
      const size = JSON.stringify(said).length
      expect(outputs.length).toBeLessThanOrEqual(8 + size)
      expect(JSON.stringify(outputs).length).toBeLessThanOrEqual(4000 + 40 * size)
    }),
    fuzzing(800),
  )
})

test('a bomb in anything that it says is taken, and gives no more than it holds', () => {
  fc.assert(
    fc.property(bombed(SAID), place, (text, at) => {
      let bomb: unknown
      try {
        bomb = JSON.parse(text)
      } catch {
        return
      }
      const outputs = read(SAID.toSpliced(at, 0, Object(bomb)))
      expectReadable(outputs)
      expect(outputs.length).toBeLessThanOrEqual(100 + text.length)
      expect(JSON.stringify(outputs).length).toBeLessThanOrEqual(20_000 + 4 * text.length)
    }),
    fuzzing(60),
  )
})

test('non-text reasons of a failed turn are reported as far as possible', () => {
  const outputs = read([
    { type: 'result', is_error: true, subtype: 'error', errors: ['a', { toString: 1 }, null, 7] },
  ])
  expect(outputs[0]).toMatchObject({ type: 'part', part: { type: 'error', error: { message: 'a; 7' } } })
})

test.for(['constructor', '__proto__', 'toString'])('an error of the kind %s is unknown', kind => {
  const outputs = read([{ type: 'assistant', error: kind }, { type: 'result' }])
  expect(outputs[0]).toMatchObject({
    type: 'part',
    part: { error: { code: 'model_unavailable', message: 'The provider gave no reason.' } },
  })
})

test('what is nested too deeply to be written down is not taken', () => {
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown
  const content = [{ type: 'server_tool_use', id: 's', name: 'x', input: deep }]
  const outputs = read([{ type: 'assistant', message: { id: 'm', model: 'c', content } }, { type: 'result' }])
  expect(JSON.stringify(outputs)).not.toContain('[[')
})
