import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ansiSpans, stripAnsi } from '../../src/view/index.ts'

const ESC = '\u001b'

describe('ansiSpans', () => {
  it('reads colours and attributes and their ends', () => {
    expect(ansiSpans(`a${ESC}[1;31mb${ESC}[22mc${ESC}[0md`)).toEqual([
      { text: 'a' },
      { text: 'b', bold: true, fg: 'red' },
      { text: 'c', fg: 'red' },
      { text: 'd' },
    ])
  })

  it('reads bright, 256-colour and RGB colours', () => {
    expect(ansiSpans(`${ESC}[92;44mx`)).toEqual([{ text: 'x', fg: 'bright-green', bg: 'blue' }])
    expect(ansiSpans(`${ESC}[38;5;196mx`)).toEqual([{ text: 'x', fg: '#ff0000' }])
    expect(ansiSpans(`${ESC}[38;5;9mx`)).toEqual([{ text: 'x', fg: 'bright-red' }])
    expect(ansiSpans(`${ESC}[48;2;1;2;300;1mx`)).toEqual([{ text: 'x', bg: '#0102ff', bold: true }])
  })

  it('drops titles, links and cursor moves and keeps their text', () => {
    expect(
      stripAnsi(`${ESC}]0;title\u0007a${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\${ESC}[2K${ESC}[1Ab`),
    ).toBe('alinkb')
  })

  it('starts the line again at a carriage return, but not at the end of a Windows line', () => {
    expect(stripAnsi('one\n10%\r50%\r100%\nend\r\nlast')).toBe('one\n100%\nend\nlast')
    expect(stripAnsi('99%\r')).toBe('99%')
  })

  it('takes a line back over several styles, and nothing above it', () => {
    expect(ansiSpans(`${ESC}[31mred\n${ESC}[32m10${ESC}[0m%\r${ESC}[31mend`)).toEqual([
      { text: 'red\nend', fg: 'red' },
    ])
  })

  it('takes in a megabyte of progress bars below a megabyte of lines', () => {
    const lines = 'done\n'.repeat(200_000)
    const bars = Array.from({ length: 100_000 }, (_, n) => `\rat ${n}`).join('')
    expect(ansiSpans(lines + bars)).toEqual([{ text: `${lines}at 99999` }])
  })

  it('leaves no control character but tab and line feed in any text', () => {
    const alphabet = fc.constantFrom(
      'a',
      '中',
      ESC,
      '[',
      '3',
      '1',
      ';',
      'm',
      '\r',
      '\n',
      '\t',
      '\u0007',
      '\b',
      ']',
      '\\',
      '\u0000',
    )
    fc.assert(
      fc.property(
        fc.array(alphabet).map(parts => parts.join('')),
        text => {
          for (const { text: part } of ansiSpans(text)) {
            expect(part).not.toBe('')
            for (const char of part) expect(char === '\t' || char === '\n' || char >= ' ').toBe(true)
          }
        },
      ),
    )
  })
})
