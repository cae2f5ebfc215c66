import { countByName } from '@toolwire/core/parts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_LINE, editLine, lineOf } from '../src/chat/line-editor.ts'
import { Screen } from '../src/chat/screen.ts'
import { hasColor } from '../src/chat/style.ts'
import { table } from '../src/chat/table.ts'
import { fitText, textWidth, wrapText } from '../src/chat/width.ts'

describe('widths in a terminal', () => {
  it.each([
    ['abc', 3],
    ['会议记录', 8],
    ['한글', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['｢ｶﾅ｣', 4],
    ['\u001b[31mred\u001b[0m', 3],
  ])('%s takes %d columns', (text, width) => expect(textWidth(text)).toBe(width))

  it('wraps any text within the width and loses nothing but spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = wrapText(text, width)
        expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(width)
        const bare = (one: string) => one.replace(/\s/g, '')
        expect(bare(lines.join(''))).toBe(bare(text))
      }),
    )
  })

  it('cuts at a whole character', () => {
    expect(fitText('会议记录', 5)).toBe('会议…')
    expect(fitText('short', 5)).toBe('short')
  })

  it('lines up columns with Chinese text', () => {
    const [first = '', second = ''] = table([
      ['会议', 'a'],
      ['x', 'b'],
    ])
    expect(textWidth(first.slice(0, first.indexOf('a')))).toBe(
      textWidth(second.slice(0, second.indexOf('b'))),
    )
  })
})

describe('the line to write in', () => {
  it('edits by whole characters', () => {
    const written = editLine(editLine(EMPTY_LINE, 'a', {}), '👩‍👩‍👧', {})
    expect(editLine(written, undefined, { name: 'backspace' })).toEqual(lineOf('a'))
    expect(editLine(lineOf('one two'), undefined, { name: 'w', ctrl: true })).toEqual(lineOf('one '))
    expect(editLine(lineOf('a'), '\u0007', {})).toEqual(lineOf('a'))
  })
})

it('has colors on a terminal only, and never with NO_COLOR', () => {
  expect(hasColor(true, {})).toBe(true)
  expect(hasColor(false, {})).toBe(false)
  expect(hasColor(true, { TERM: 'dumb' })).toBe(false)
  expect(hasColor(false, { FORCE_COLOR: '1' })).toBe(true)
  expect(hasColor(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false)
})

it('sums up approvals by tool', () => {
  const names = ['Bash', 'Write', 'Bash', 'Bash', 'Bash'].map(name => ({ name }))
  expect(countByName(names)).toBe('4 Bash, 1 Write')
})

it('keeps finished lines above the live part, which fits the screen', () => {
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const screen = new Screen({ columns: 40, rows: 10, write })
  screen.draw(['live'])
  screen.commit(['done'])
  expect(written.lastIndexOf('done')).toBeLessThan(written.lastIndexOf('live'))
  const before = written.length
  screen.draw(['live'])
  expect(written.slice(before)).toBe('')
  screen.draw(Array.from({ length: 50 }, (_, at) => `line ${at}`))
  expect(written.slice(before).split('\r\n')).toHaveLength(9)
})
