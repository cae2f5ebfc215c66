/** What keeps a page answering: pauses between pieces of work, and a box that is not measured with every key. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fitArea, yieldToBrowser } from '../../src/view/parts/index.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Whether something that was asked for before gets its turn while it breathes. */
async function letsOthersGoFirst(): Promise<boolean> {
  let gone = false
  setTimeout(() => {
    gone = true
  })
  await yieldToBrowser()
  return gone
}

describe('a breath', () => {
  it('gives way to what waits, by the means of the browser where it has one', async () => {
    vi.stubGlobal('document', { hidden: false })
    expect(await letsOthersGoFirst()).toBe(true)
    const means = vi.fn(async () => {})
    vi.stubGlobal('scheduler', { yield: means })
    await yieldToBrowser()
    expect(means).toHaveBeenCalledOnce()
  })

  it('is empty on a hidden page', async () => {
    expect(await letsOthersGoFirst()).toBe(false)
    vi.stubGlobal('document', { hidden: true })
    expect(await letsOthersGoFirst()).toBe(false)
  })
})

/** A box of text whose height was asked for `measured` times. */
function area() {
  const set = new Map<string, string>()
  const box = {
    measured: 0,
    get scrollHeight() {
      box.measured += 1
      return 42
    },
    style: {
      height: '',
      getPropertyValue: (name: string) => set.get(name) ?? '',
      setProperty: (name: string, value: string) => void set.set(name, value),
    },
  }
  return { box, fit: () => fitArea(box as unknown as HTMLTextAreaElement), set }
}

describe('a box as high as its text', () => {
  it('is left to browsers that can do it, and never measured there', () => {
    vi.stubGlobal('CSS', { supports: () => true })
    const { box, fit, set } = area()
    fit()
    fit()
    expect(set.get('field-sizing')).toBe('content')
    expect([box.measured, box.style.height]).toEqual([0, ''])
  })

  it('is measured elsewhere', () => {
    const { box, fit } = area()
    fit()
    expect([box.measured, box.style.height]).toEqual([1, '42px'])
    expect(() => fitArea(null)).not.toThrow()
  })
})
