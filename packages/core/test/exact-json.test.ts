/** JSON that is handed on as it was written. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { childTexts, isExact, readExact, writeJson } from '../src/exact-json.ts'

/** JSON texts with what values cannot hold: number-like keys in any order, digits beyond a double, odd escapes. */
const { text } = fc.letrec<{ text: string; object: string }>(tie => ({
  object: fc
    .uniqueArray(
      fc.tuple(fc.oneof(fc.string(), fc.nat(9).map(String), fc.constant('\\u0030')), tie('text')),
      {
        maxLength: 4,
        selector: ([key]) => key,
      },
    )
    .map(pairs => `{${pairs.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(' ,\n')}}`),
  text: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('1.0', '-0', '1e400', '12345678901234567890', '0.1234567890123456789', 'true', 'null'),
    fc.string({ unit: 'binary' }).map(value => JSON.stringify(value)),
    fc.constantFrom('"\\u0030"', '"\\u0030{\\"1\\":2}"', '"\\\\"'),
    fc.array(tie('text') as fc.Arbitrary<string>, { maxLength: 3 }).map(items => `[${items.join(',')}]`),
    tie('object') as fc.Arbitrary<string>,
  ),
}))

describe('a text that a value could not hold', () => {
  test('is written as it was read, between values that look like it', () => {
    fc.assert(
      fc.property(text, fc.string({ unit: 'binary' }), (json, near) => {
        const written = writeJson({ near, value: readExact(json), after: [`"\\u0030${near}`] })
        const rest = JSON.stringify({ near, value: 0, after: [`"\\u0030${near}`] })
        const plain = JSON.stringify(JSON.parse(json))
        expect([
          rest.replace('"value":0', () => `"value":${json}`),
          rest.replace('"value":0', () => `"value":${plain}`),
        ]).toContain(written)
        // Only white space may be lost, and the spelling of strings, and only where nothing else would be.
        if (!written.includes(json)) expect(compact(json)).toBe(plain)
      }),
    )
  })

  test.for([
    '{"b":1,"2":1,"1":1}',
    '{"b":1,"\\u0032":1,"1":1}',
    '{"a":{"x":[{"10" :1,"9":2}]}}',
    '{"n":12345678901234567890}',
    '{"n":123456789.123456789}',
    '{"n":[1.0,1E2,-0]}',
  ])('%s keeps every character', json => {
    expect(isExact(readExact(json))).toBe(true)
    expect(writeJson([readExact(json)])).toBe(`[${json}]`)
  })

  test('costs a plain value nothing: it stays a value that can be looked at', () => {
    expect(readExact('{"b":1,"a":["2",3]}')).toEqual({ b: 1, a: ['2', 3] })
    expect(isExact(readExact('{"b":1}'))).toBe(false)
    expect(() => readExact('{"1":')).toThrow(SyntaxError)
  })
})

test('the children of a text are those of its value, in the order in which they were written', () => {
  fc.assert(
    fc.property(text, json => {
      const value: unknown = JSON.parse(json)
      const children = childTexts(json)
      const keys = children.map(child => child.key)
      const values = children.map(child => JSON.parse(child.text) as unknown)
      if (Array.isArray(value)) expect([keys, values]).toEqual([value.map(() => undefined), value])
      else if (typeof value === 'object' && value !== null)
        expect(Object.fromEntries(keys.map((key, i) => [key, values[i]]))).toEqual(value)
      else expect(children).toEqual([])
    }),
  )
  expect(childTexts('{"b": {"2":0} , "1":[","] }')).toEqual([
    { key: 'b', text: '{"2":0}' },
    { key: '1', text: '[","]' },
  ])
})

/** Without white space between its tokens, and with strings spelled in one way. */
const compact = (json: string): string =>
  json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, token?: string) =>
    token === undefined ? '' : JSON.stringify(JSON.parse(token)),
  )
