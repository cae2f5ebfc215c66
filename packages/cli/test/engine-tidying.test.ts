import { describe, expect, test } from 'vitest'
import { createTidying, type HeapLook } from '../src/engine-tidying.ts'

const MB = 1024 * 1024

/** A heap that is looked at once a second; what is not said of a look is as in a quiet server at 20 MB. */
function watch(usedMb = 20) {
  const judge = createTidying(usedMb * MB)
  let now = 0
  return (look: { readonly mb?: number; readonly busy?: number; readonly whole?: number } = {}): boolean => {
    now += 1000
    const seen: HeapLook = {
      now,
      usedBytes: (look.mb ?? 20) * MB,
      busy: look.busy ?? 0.1,
      wholeCollections: look.whole ?? 0,
    }
    return judge(seen)
  }
}

describe('old objects are collected', () => {
  test('when they have grown by more than a little and there is time', () => {
    const look = watch(80)
    expect(look({ mb: 80 })).toBe(false)
    expect(look({ mb: 93 })).toBe(false)
    expect(look({ mb: 95 })).toBe(true)
  })

  test('not while the heap is small', () => {
    const look = watch(20)
    expect(look({ mb: 79 })).toBe(false)
    expect(look({ mb: 81 })).toBe(true)
  })

  test('not while the server is busy, and called off when it becomes so', () => {
    const look = watch(80)
    expect(look({ mb: 120, busy: 0.5 })).toBe(false)
    expect(look({ mb: 120 })).toBe(true)
    expect(look({ mb: 120, busy: 0.4 })).toBe(true)
    expect(look({ mb: 120, busy: 0.9 })).toBe(false)
  })

  test('twice, so that pages are given back, then not again for a while', () => {
    const look = watch(80)
    expect(look({ mb: 150 })).toBe(true)
    expect(look({ mb: 90, whole: 1 })).toBe(true)
    expect(look({ mb: 80, whole: 1 })).toBe(false)
    const later = Array.from({ length: 6 }, () => look({ mb: 120 }))
    expect(later).toEqual([false, false, true, true, true, true])
  })

  test('again after a collection in the midst of a burst, which kept what was about to go', () => {
    const look = watch()
    expect(look({ mb: 100, busy: 0.95, whole: 1 })).toBe(false)
    expect(look({ mb: 100 })).toBe(true)
  })

  test('not because of a collection that the engine made in quiet', () => {
    const look = watch()
    expect(look({ mb: 100, whole: 1 })).toBe(false)
    expect(look({ mb: 102 })).toBe(false)
  })
})
