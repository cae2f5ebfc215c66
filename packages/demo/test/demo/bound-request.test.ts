/** Requests that are larger than any model reads: the demo model answers them from their beginnings. */
import type { ModelRequest } from '@toolwire/core'
import { expect, test } from 'vitest'
import { boundRequest } from '../../src/demo/input/bound-request.ts'
import { ask, partsOf, user } from './demo-harness.ts'

const lengthOf = (request: ModelRequest): number => JSON.stringify(request.messages).length

test('a request of usual size is the same object', () => {
  const request = ask('hello')
  expect(boundRequest(request)).toEqual({ request, omitted: 0 })
  expect(boundRequest(request).request).toBe(request)
})

test.each([
  ['one text', [user('x'.repeat(8_000_000))]],
  ['many texts', Array.from({ length: 4000 }, () => user('x'.repeat(2_000)))],
  [
    'an image',
    [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'A'.repeat(8_000_000) } }] }],
  ],
])('a very large one keeps every message and part, shortened: %s', (_, messages) => {
  const asked = { ...ask(''), messages } as unknown as ModelRequest
  const { request, omitted } = boundRequest(asked)
  expect(request.messages).toHaveLength(messages.length)
  expect(lengthOf(request)).toBeLessThan(2_500_000)
  expect(lengthOf(request) + omitted).toBe(lengthOf(asked))
})

test('a very large request is answered, and its tokens are those of all of it', async () => {
  const parts = await partsOf(ask('x'.repeat(8_000_000)))
  const end = parts.at(-1)
  expect(end?.type === 'end' && end.usage.input).toBeGreaterThan(1_900_000)
})
