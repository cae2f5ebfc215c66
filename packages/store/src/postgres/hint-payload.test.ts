import { expect, test } from 'vitest'
import { decodeHints, encodeHints } from './hint-payload.ts'

const LIMIT = 8000

test('hints come back as they were sent, in payloads that PostgreSQL takes, however many there are', () => {
  const moved = Array.from(
    { length: 5000 },
    (_, i) => [`session-${i}-${'x'.repeat(i % 50)}-沈阳`, i] as const,
  )
  const payloads = encodeHints('me', moved)
  expect(payloads.length).toBeGreaterThan(1)
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(LIMIT)
  expect(payloads.flatMap(payload => decodeHints(payload).moved ?? [])).toEqual(moved)
  expect(new Set(payloads.map(payload => decodeHints(payload).from))).toEqual(new Set(['me']))
})

test('an id that fits no payload, and a foreign payload, mean that any session may have moved', () => {
  const [first, second] = encodeHints('me', [['y'.repeat(LIMIT), 3] as const, ['a', 4] as const])
  expect([decodeHints(first ?? '').moved, decodeHints(second ?? '').moved]).toEqual([undefined, [['a', 4]]])
  for (const foreign of ['', 'hello', '{}', '3', '"x"']) expect(decodeHints(foreign).moved).toBeUndefined()
  expect(decodeHints(encodeHints('me', [])[0] ?? '')).toEqual({ from: 'me', moved: [] })
})
