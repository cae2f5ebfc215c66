import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type ArgsPeek, NO_PEEK, peekArgs, peekField } from '../../src/view/peek-args.ts'

const feed = (text: string, cuts: readonly number[]): ArgsPeek => {
  let peek = NO_PEEK
  let from = 0
  for (const cut of [...cuts.map(c => c % (text.length + 1)).sort((a, b) => a - b), text.length]) {
    peek = peekArgs(peek, text.slice(from, cut))
    from = cut
  }
  return peek
}
const simple = (value: unknown): boolean => value === null || typeof value !== 'object'

describe('peekArgs', () => {
  it('finds every top-level simple value of any object, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 8 }),
        fc.array(fc.nat()),
        fc.boolean(),
        (object, cuts, pretty) => {
          const text = JSON.stringify(object, null, pretty ? 2 : 0)
          const peek = feed(text, cuts)
          const expected = Object.entries(JSON.parse(text)).filter(([, value]) => simple(value))
          expect(peek.fields.map(({ key, value }) => [key, value])).toEqual(expected)
          expect(peek.fields.every(field => field.done)).toBe(true)
          expect(peek.mode).toBe('done')
        },
      ),
    )
  })

  it('reads escapes and characters that a chunk cuts in two', () => {
    const text = '{"a":"\\ud83d\\ude00 \\"q\\" \\\\ 😀\\n","b":-1.5e3}'
    for (let cut = 0; cut <= text.length; cut++) {
      const peek = feed(text, [cut])
      expect(peekField(peek, 'a')).toBe('😀 "q" \\ 😀\n')
      expect(peekField(peek, 'b')).toBe(-1500)
    }
  })

  it('shows a string that is still being written', () => {
    expect(peekArgs(NO_PEEK, '{"command":"npm te').fields).toEqual([
      { key: 'command', value: 'npm te', done: false },
    ])
  })

  it('survives any garbage and says the same however it is cut', () => {
    const garbage = fc.oneof(fc.string(), fc.stringMatching(/^[{}[\]",:\\u0-9a-f\s]*$/))
    fc.assert(
      fc.property(garbage, fc.array(fc.nat()), (text, cuts) => {
        expect(feed(text, cuts).fields).toEqual(feed(text, []).fields)
      }),
    )
  })

  it('stops at the first thing that cannot be JSON and keeps what it has', () => {
    const peek = peekArgs(NO_PEEK, '{"a":1,oops,"b":2}')
    expect(peek.mode).toBe('broken')
    expect(peek.fields).toEqual([{ key: 'a', value: 1, done: true }])
  })

  it('does not confuse keys with properties of objects', () => {
    const peek = peekArgs(NO_PEEK, '{"__proto__":"x"}')
    expect(peekField(peek, '__proto__')).toBe('x')
    expect(peekField(peek, 'constructor')).toBeUndefined()
  })

  it('keeps nothing of what is nested', () => {
    const peek = peekArgs(NO_PEEK, `{"a":["${'x'.repeat(1000)}`)
    expect(peek.mode).toBe('in-nested-string')
    expect(peek.text.length).toBeLessThan(10)
  })

  it('looks at every character a bounded number of times', () => {
    const looks = (size: number): number => {
      const text = JSON.stringify({ file_path: '/a', content: 'line "x"\n中文'.repeat(size / 12) })
      const spies = [vi.spyOn(String.prototype, 'charCodeAt'), vi.spyOn(String.prototype, 'charAt')]
      let peek = NO_PEEK
      for (let at = 0; at < text.length; at += 16) peek = peekArgs(peek, text.slice(at, at + 16))
      const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
      for (const spy of spies) spy.mockRestore()
      return count / text.length
    }
    expect(looks(24_000)).toBeLessThan(3)
    expect(Math.abs(looks(24_000) - looks(3000))).toBeLessThan(0.1)
  })
})
