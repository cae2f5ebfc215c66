/** Schemas made to hurt: the answer stays small and comes at once. */
import { describe, expect, it } from 'vitest'
import { fillSchema } from '../../src/demo/input/fill-schema.ts'

const size = (schema: Record<string, unknown>, text = 'call it'): number =>
  JSON.stringify(fillSchema(schema, text)).length

describe('a hostile schema', () => {
  it('with a pattern of exponential cost is not run', () => {
    const value = { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` }
    expect(size({ type: 'object', properties: { value }, required: ['value'] })).toBeLessThan(1000)
  })

  it('that asks for millions of items gets a hundred', () => {
    expect(size({ type: 'array', minItems: 5e7, items: { type: 'number' } })).toBeLessThan(1000)
  })

  it('that multiplies by nesting is cut off', () => {
    const nest = (depth: number): Record<string, unknown> =>
      depth === 0 ? { type: 'number' } : { type: 'array', minItems: 200, items: nest(depth - 1) }
    expect(size(nest(4))).toBeLessThan(50_000)
  })

  it('that multiplies by references is cut off', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 24 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` }
        return [`d${i}`, { type: 'object', properties: { a: next, b: next }, required: ['a', 'b'] }]
      }),
    )
    expect(size({ $defs, $ref: '#/$defs/d0' })).toBeLessThan(100_000)
  })

  it('with a broken reference or an absurd length is answered', () => {
    expect(size({ type: 'object', properties: { a: { $ref: '#/%zz' } }, required: ['a'] })).toBeGreaterThan(0)
    expect(size({ type: 'string', minLength: 4e9 })).toBeLessThan(20_000)
  })
})
