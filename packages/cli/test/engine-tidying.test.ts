import { describe, expect, test } from 'vitest'
import { createTidying, type HeapLook, type Tidying } from '../src/engine-tidying.ts'

const MB = 1024 * 1024

/** A heap that is looked at once a second; what is not said of a look is as in a quiet server at 20 MB. */
function watch(usedMb = 20) {
  const judge = createTidying(usedMb * MB)
  let now = 0
  return (look: { readonly mb?: number; readonly busy?: number; readonly whole?: number } = {}): Tidying => {
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
    expect(look({ mb: 80 })).toBe('none')
    expect(look({ mb: 85 })).toBe('none')
    expect(look({ mb: 86 })).toBe('compact')
  })

  test('not while the heap is small', () => {
    const look = watch(20)
    expect(look({ mb: 79 })).toBe('none')
    expect(look({ mb: 81 })).toBe('compact')
  })

  test('without giving pages back while there is some work: streams are held up less', () => {
    const look = watch(80)
    expect(look({ mb: 120, busy: 0.2 })).toBe('sweep')
    expect(look({ mb: 80, whole: 1 })).toBe('none')
  })

  test('not while the server is busy, and called off when it becomes so', () => {
    const look = watch(80)
    expect(look({ mb: 120, busy: 0.5 })).toBe('none')
    expect(look({ mb: 120 })).toBe('compact')
    expect(look({ mb: 120, busy: 0.4 })).toBe('compact')
    expect(look({ mb: 120, busy: 0.9 })).toBe('none')
  })

  test('twice, so that pages are given back, then not again for a while', () => {
    const look = watch(80)
    expect(look({ mb: 150 })).toBe('compact')
    expect(look({ mb: 90, whole: 1 })).toBe('compact')
    expect(look({ mb: 80, whole: 1 })).toBe('none')
    const later = Array.from({ length: 4 }, () => look({ mb: 120 }))
    expect(later).toEqual(['none', 'none', 'compact', 'compact'])
  })

  test('again after a collection in the midst of a burst, which kept what was about to go', () => {
    const look = watch()
    expect(look({ mb: 100, busy: 0.95, whole: 1 })).toBe('none')
    expect(look({ mb: 100, busy: 0.3 })).toBe('none')
    expect(look({ mb: 100 })).toBe('compact')
  })

  test('not because of a collection that the engine made in quiet', () => {
    const look = watch()
    expect(look({ mb: 100, whole: 1 })).toBe('none')
    expect(look({ mb: 102 })).toBe('none')
  })

  test('as if the engine had not collected once more right behind it, which counts young objects too', () => {
    const look = watch(80)
    expect(look({ mb: 150 })).toBe('compact')
    expect(look({ mb: 80, whole: 2 })).toBe('none')
    expect(look({ mb: 89, whole: 1 })).toBe('none')
    expect([look({ mb: 89 }), look({ mb: 89 })]).toEqual(['none', 'compact'])
  })
})
