/** Arguments that a model nests beyond measure are in the log as they came, and break no stream that carries them. */
import { isDeepJson } from '@toolwire/core'
import { expect, test } from 'vitest'
import { readExactInput, readInput } from '../src/anthropic-messages/read-input.ts'
import { parseInput } from '../src/shared/parse-input.ts'

const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`

test('arguments of many levels are a value, and those of too many stay text', () => {
  expect(parseInput(nested(500))).toEqual(JSON.parse(nested(500)))
  expect(parseInput(nested(200_000))).toBeUndefined()
  expect(readInput(nested(200_000))).toEqual({ _raw: nested(200_000) })
  expect(readExactInput(nested(200_000))).toEqual({ _raw: nested(200_000) })
})

test('brackets inside of strings are no levels', () => {
  const text = JSON.stringify({ a: '[{'.repeat(1000), b: `${'\\"['.repeat(1000)}` })
  expect(isDeepJson(text)).toBe(false)
  expect(isDeepJson('['.repeat(513))).toBe(true)
})
