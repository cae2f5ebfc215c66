/** Colours of code, made a few lines at a time. */
import { describe, expect, test, vi } from 'vitest'
import { highlight } from '../src/markdown/highlight.ts'

/** Five lines over and over: no number of lines per piece that is no multiple of five cuts at their beginning only. */
const CODE = '/* begun\n goes on */ const a = `text\nmore\n${1} and\nover`\n'.repeat(20)
const wanted = () => false

describe('code in pieces', () => {
  test('has the colors of the whole: a token that starts in one piece continues in the next', async () => {
    const lines = await highlight(CODE, 'ts', wanted)
    expect(lines?.map(line => line.map(token => token.text).join('')).join('\n')).toBe(CODE)
    // The first five lines are repeated, so their colours are as well, wherever a piece was cut.
    const colours = lines?.map(line => line.map(token => `${token.light} ${token.dark}`).join())
    for (const [n, line] of (colours ?? []).slice(0, -1).entries()) expect(line).toBe(colours?.[n % 5])
    expect(new Set(colours?.slice(0, 5)).size).toBeGreaterThan(2)
  })

  test('is aborted between two pieces when it is no longer needed', async () => {
    const over = vi.fn(() => over.mock.calls.length > 2)
    expect(await highlight(CODE, 'typescript', over)).toBeUndefined()
    expect(over).toHaveBeenCalledTimes(3)
  })

  test('has no colors in an unknown language', async () => {
    expect(await highlight('x', 'klingon', wanted)).toBeUndefined()
    expect(await highlight('x', 'constructor', wanted)).toBeUndefined()
  })
})
