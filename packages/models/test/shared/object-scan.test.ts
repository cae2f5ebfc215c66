/** Where an object ends that comes in pieces. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOT_BEGUN, scanObject } from '../../src/shared/object-scan.ts'

const isWhole = (...pieces: readonly string[]): boolean =>
  pieces.reduce(scanObject, NOT_BEGUN).place === 'behind'

/** Cuts a text at places that are taken from the numbers. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const at = [...new Set(places.map(place => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length))
}

describe('an object in pieces', () => {
  it('is whole with its last character and not before, wherever it is cut', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(object, fc.array(fc.nat(), { maxLength: 6 }), fc.nat(), (value, places, indent) => {
        const text = JSON.stringify(value, null, indent % 3)
        expect(cut(text, places).join('')).toBe(text)
        expect(isWhole(...cut(text, places))).toBe(true)
        expect(isWhole(...cut(text, places), ' \r', '\n\t')).toBe(true)
        for (let length = 0; length < text.length; length++)
          expect(isWhole(text.slice(0, length))).toBe(false)
      }),
    )
  })

  it.for([
    ['brackets and quotes inside strings', '{"a":"}]\\"{["}'],
    ['an escape at the end of a string', '{"a":"\\\\"}'],
    ['space around it', ' \n{}\t '],
  ] as const)('may hold %s', ([, text]) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(isWhole(...text)).toBe(true)
  })

  it.for(['', ' ', '[]', '"{}"', '7', 'null', '{}{}', '{} x', 'x{}'])('is not %j', text => {
    expect(isWhole(...text)).toBe(false)
    expect(isWhole(text)).toBe(false)
  })
})
