import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  escapeControls,
  markAttributes,
  markChildren,
  markControls,
  markLine,
} from '../../../src/view/parts/index.ts'

interface Case {
  readonly name: string
  readonly text: string
  readonly shown: string
}

/** The Python client reads the same table. */
const CASES = JSON.parse(
  readFileSync(new URL('../hidden-characters.json', import.meta.url), 'utf8'),
) as readonly Case[]

describe('hidden and bidirectional characters', () => {
  test.each(CASES)('$name', ({ text, shown }) => {
    expect(markControls(text)).toBe(shown)
  })

  test('are all marked, wherever they are between letters, and nothing else is changed', () => {
    const any = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u
    // Signs of numbers and verses in Arabic and Kaithi are drawn, although they are format characters.
    const drawn = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1345f}]/u
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      const isMarked = any.test(character) && !drawn.test(character) && !'\n\t'.includes(character)
      const mark = `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
      const shown = markControls(`a${character}b`)
      if (shown !== (isMarked ? `a${mark}b` : `a${character}b`)) expect([mark, shown]).toEqual([mark, ''])
    }
  })

  test('leave a text alone that was marked before', () => {
    const unit = fc.constantFrom(
      'a',
      'م',
      '中',
      '👨',
      '\u200d',
      '\u200c',
      '\ufe0f',
      '\u202e',
      '\r',
      '\n',
      '1',
      '\u20e3',
    )
    fc.assert(
      fc.property(fc.string({ unit }), text => {
        const shown = markControls(text)
        expect(markControls(shown)).toBe(shown)
        // No joiner stays behind another one, nor a selector behind another one.
        expect(shown).not.toMatch(/(?:^|\u200c|\u200d)(?:\u200c|\u200d)|\ufe0f\ufe0f/)
      }),
    )
  })

  test('leave the end of a line alone that was cut before its break', () => {
    expect(markControls('a line\r')).toBe('a line\r')
  })

  test('become escapes in JSON, of the same value', () => {
    const value = { 'k\u202e': ['\u200b\u009b', '\u{e0041}', '你好\n', '👩🏽\u200d⚕\ufe0f'] }
    const json = escapeControls(JSON.stringify(value, null, 2))
    expect(JSON.parse(json)).toEqual(value)
    expect(markControls(json)).toBe(json)
    expect(json).toContain('"k\\u202e": [\n    "\\u200b\\u009b",\n    "\\udb40\\udc41",\n    "你好')
  })

  test('are marked with breaks and tabs where a text has to stay on one line', () => {
    expect(markLine('a\nb\tc\r\n👩🏽\u200d⚕\ufe0f')).toBe(
      'a⟨U+000A⟩b⟨U+0009⟩c⟨U+000D⟩⟨U+000A⟩👩🏽\u200d⚕\ufe0f',
    )
  })
})

describe('an element', () => {
  test('shows marks in its texts and in attributes that people see or hear, and keeps what is sent', () => {
    const given = {
      title: 'a\u202e',
      'aria-label': 'b\u200b',
      value: 'c\u202e',
      href: 'd\u202e',
      'data-tool': 'e\u202e',
    }
    expect(markAttributes(given)).toEqual({ ...given, title: 'a⟨U+202E⟩', 'aria-label': 'b⟨U+200B⟩' })
    const element = { text: 'f\u202e' }
    expect(markChildren(['g\u202e', [element, ['h\u200b', 1, null]]])).toEqual([
      'g⟨U+202E⟩',
      [element, ['h⟨U+200B⟩', 1, null]],
    ])
  })

  test('is the same object when there is nothing to mark', () => {
    const props = { title: 'a' }
    const children = ['a', ['b', { c: 'd' }]]
    expect([markAttributes(props) === props, markChildren(children) === children]).toEqual([true, true])
  })
})
