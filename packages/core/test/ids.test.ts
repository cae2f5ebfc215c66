import { AppError, decodeCursor, encodeCursor, threadNo, threadPrefix } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('a thread number leads back to the prefix of the session id it came from', () => {
  fc.assert(
    fc.property(fc.uuid(), id => {
      const no = threadNo(id)
      expect(Number.isSafeInteger(no)).toBe(true)
      expect(id.startsWith(threadPrefix(no) ?? 'none')).toBe(true)
    }),
  )
})

test('numbers that cannot be a thread number have no prefix', () => {
  for (const no of [-1, 0.5, Number.NaN, 2 ** 48, Number.POSITIVE_INFINITY])
    expect(threadPrefix(no)).toBeUndefined()
})

test('cursors round-trip, and a bare seq means all frames of that event were seen', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(), fc.nat({ max: 99 }), (id, seq, k) => {
      expect(decodeCursor(encodeCursor(id, seq, k), id)).toEqual({ seq, k })
      expect(decodeCursor(String(seq), id)).toEqual({ seq, k: Number.MAX_SAFE_INTEGER })
      expect(decodeCursor(`${id}.${seq}`, id)).toEqual({ seq, k: Number.MAX_SAFE_INTEGER })
    }),
  )
})

test('a malformed cursor and a cursor of another session are refused', () => {
  for (const text of ['', 'x', 'a.b.c', '-1', '1e9', 'other.5.0', `${'9'.repeat(30)}`, 'me.5.x'])
    expect(() => decodeCursor(text, 'me')).toThrow(AppError)
})
