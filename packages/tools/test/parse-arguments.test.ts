/** Arguments of a call as text: how deep they may be nested, whatever their strings hold. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseArguments } from '../src/checks/parse-arguments.ts'

const nested = (inner: string, levels: number): string => '['.repeat(levels) + inner + ']'.repeat(levels)

test('brackets, quotes and backslashes in strings do not count as levels', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'a', '\n'), maxLength: 300 }),
      ),
      texts => {
        const value = { texts, last: '['.repeat(200) }
        expect(parseArguments(JSON.stringify(value))).toEqual({ ok: true, input: value })
      },
    ),
  )
})

test('a hundred levels are taken, and one more is not, also behind strings', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', ']', '}') }), text => {
      const inner = JSON.stringify(text)
      expect(parseArguments(nested(inner, 100)).ok).toBe(true)
      expect(parseArguments(nested(`${inner},[]`, 100))).toMatchObject({
        message: expect.stringContaining('nested more than 100 levels'),
      })
    }),
  )
})

test('a string without an end hides its brackets', () => {
  for (const text of [
    `{"a":"${'['.repeat(200)}`,
    `{"a":"${'['.repeat(200)}\\`,
    `{"a":"\\"${'['.repeat(200)}`,
  ])
    expect(parseArguments(text)).toMatchObject({ message: expect.not.stringContaining('nested') })
})
