import type { SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packEvents, unpackEvents } from './pack.ts'

const BASE = Date.parse('2026-03-01T10:00:00.000Z')
const ts = fc.oneof(
  { weight: 6, arbitrary: fc.nat(5000).map(ms => new Date(BASE + ms).toISOString()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('2026-03-01T10:00:00Z', '', 'yesterday', '+275760-09-13T00:00:00.000Z'),
  },
)
const field = fc.constantFrom('text', 'input_text', 'thinking')
const anyDelta = fc
  .tuple(ts, field, fc.string({ unit: 'binary', maxLength: 6 }), fc.nat(3), fc.constantFrom('a', 'b'))
  .map(([time, name, text, offset, block]) => ({
    type: 'block.delta',
    ts: time,
    block_id: block,
    offset,
    [name]: text,
  }))
const progress = fc
  .tuple(ts, fc.string({ maxLength: 4 }), fc.constantFrom({}, { progress: 1 }, { data: { x: [1] } }))
  .map(([time, output, more]) => ({
    type: 'tool.progress',
    ts: time,
    call_id: 'c',
    output_delta: output,
    ...more,
  }))
const empty = fc.constantFrom(
  { type: 'block.delta', ts: new Date(BASE).toISOString(), block_id: 'a', offset: 0, signature: 's' },
  {
    type: 'block.delta',
    ts: new Date(BASE).toISOString(),
    block_id: 'a',
    offset: 0,
    text: 'x',
    citation: { url: 'u' },
  },
  { type: 'note', ts: '', name: 'n', value: [null, { text: 'x' }] },
)
/** What a model really sends: offsets that grow with the text, pairs of a character cut in two. */
const streamed = fc
  .array(fc.constantFrom('word ', '字', '\ud83e', '\udd8a', ''), { minLength: 2, maxLength: 30 })
  .map(parts => {
    let offset = 0
    return parts.map((text, i) => {
      const event = {
        type: 'block.delta',
        ts: new Date(BASE + i * 13).toISOString(),
        block_id: 'a',
        offset,
        text,
      }
      offset += text.length
      return event
    })
  })
const events = fc
  .array(fc.oneof(streamed, fc.array(fc.oneof(anyDelta, progress, empty), { maxLength: 5 })), {
    maxLength: 6,
  })
  .map(groups => groups.flat() as unknown as readonly SessionEvent[])

test('every event comes back from a packed row with the same fields in the same order', () => {
  fc.assert(
    fc.property(events, original => {
      expect(JSON.stringify(unpackEvents(packEvents(original)))).toBe(JSON.stringify(original))
    }),
    { numRuns: 500 },
  )
})

test('a streamed text takes a small part of its space', () => {
  let offset = 0
  const original = Array.from({ length: 500 }, (_, i) => {
    const text = `word${i % 17} `
    const event = {
      type: 'block.delta',
      ts: new Date(BASE + i * 20).toISOString(),
      run_id: 'run_1',
      block_id: 'msg_1.0',
      offset,
      text,
    }
    offset += text.length
    return event
  }) as readonly SessionEvent[]
  expect(packEvents(original).length).toBeLessThan(JSON.stringify(original).length / 16)
})

test('a row of an unknown form is refused instead of misread', () => {
  expect(() => unpackEvents(new Uint8Array([9, 1, 2, 3]))).toThrow('unknown form 9')
})
