/** Schemas that clients and MCP servers bring, with the inputs that make them slow. */
import { expect, test } from 'vitest'
import { createSchemaCheck } from '../../src/checks/json-schema.ts'
import { runWithTimeout } from '../../src/checks/within-time.ts'

const letters = 'a'.repeat(200_000)
const text = (pattern: string) => ({ type: 'object', properties: { x: { type: 'string', pattern } } })

test.each([
  ['one repetition after another', text('^a*a*a*$'), { x: `${letters}!` }],
  ['a repetition without an anchor', text('a+b'), { x: letters }],
  ['overlapping classes', text('[ab]+[ac]+[ad]+$'), { x: `${letters}!` }],
  [
    'items that must be unique',
    { type: 'object', properties: { x: { type: 'array', uniqueItems: true } } },
    { x: Array.from({ length: 30_000 }, (_, i) => ({ i })) },
  ],
  ['a format', { type: 'object', properties: { x: { type: 'string', format: 'email' } } }, { x: letters }],
])('a schema with %s delays no caller', (_, schema, input) => {
  // Without a bound these take from minutes to years: the test itself would not end.
  expect(createSchemaCheck(schema)(input)).toHaveProperty('ok')
})

test('what is stopped for its time says nothing, and what is quick says what it found', () => {
  expect(runWithTimeout(20, () => /^(a|a)*$/.test(`${'a'.repeat(60)}!`))).toBeUndefined()
  expect(runWithTimeout(60_000, () => 7)).toBe(7)
  expect(() =>
    runWithTimeout(60_000, () => {
      throw new RangeError('no')
    }),
  ).toThrow(RangeError)
})

test('work that got no processor time runs again, so that a busy machine lets nothing wrong pass', () => {
  let calls = 0
  const sleepFirst = (): number => {
    calls += 1
    // Sleeps until it is stopped, as a thread does that others keep from the processor.
    if (calls === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    return 7
  }
  expect(runWithTimeout(20, sleepFirst)).toBe(7)
  expect(calls).toBeGreaterThan(1)
})
