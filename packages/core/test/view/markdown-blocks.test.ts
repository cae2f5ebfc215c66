import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MarkdownBlocks } from '../../src/view/index.ts'

const splitMarkdown = (text: string) => new MarkdownBlocks().update(text)

const kinds = (text: string) => splitMarkdown(text).map(block => block.kind)
const line = fc.constantFrom(
  'plain text',
  'more words',
  '',
  '   ',
  '# head',
  '- item',
  '  continued',
  '    deep',
  '1. one',
  '```js',
  '```',
  '~~~',
  '$$',
  '| a | b |',
  '|---|---|',
  '> quote',
  '---',
  '***',
  '<div>',
  '==',
  '中文，表情😀',
)
const document = fc.array(line, { maxLength: 40 }).map(lines => lines.join('\n'))

describe('MarkdownBlocks', () => {
  it('never changes a complete block while more text arrives', () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 9 }), (text, step) => {
        const stream = new MarkdownBlocks()
        let complete: readonly unknown[] = []
        for (let at = 0; at < text.length; at += step) {
          stream.push(text.slice(at, at + step))
          const blocks = stream.blocks()
          for (const [i, block] of complete.entries()) expect(blocks[i]).toBe(block)
          complete = blocks.filter(block => !block.open)
        }
      }),
    )
  })

  it('finds the same blocks however the text is cut', () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 9 }), (text, step) => {
        const stream = new MarkdownBlocks()
        for (let at = 0; at < text.length; at += step) stream.push(text.slice(at, at + step))
        expect(stream.blocks()).toEqual(new MarkdownBlocks().update(text))
      }),
    )
  })

  it('keeps a line that begins with more blanks than it looks at', () => {
    const line = `${' '.repeat(300)}far`
    expect(splitMarkdown(`${line}\n\nend`).map(block => block.raw)).toEqual([`${line}\n`, 'end'])
  })

  it('cuts a block, and a line, that is too long, wherever the text is cut', () => {
    for (const text of ['> a\n'.repeat(60_000), 'b'.repeat(250_000), `${'c'.repeat(100_000)}\nd`]) {
      const whole = splitMarkdown(text)
      const letters = (all: string) => all.replace(/\n/g, '')
      expect(letters(whole.map(block => block.raw).join('')) === letters(text)).toBe(true)
      for (const { raw } of whole) expect(raw.length).toBeLessThanOrEqual(100_000)
      const stream = new MarkdownBlocks()
      for (let at = 0; at < text.length; at += 7919) stream.push(text.slice(at, at + 7919))
      expect(JSON.stringify(stream.blocks()) === JSON.stringify(whole)).toBe(true)
    }
  })

  it('loses nothing but blank lines', () => {
    const words = (text: string) =>
      text
        .split('\n')
        .filter(l => l.trim() !== '')
        .join('\n')
    fc.assert(
      fc.property(document, text => {
        expect(
          words(
            splitMarkdown(text)
              .map(block => block.raw)
              .join('\n'),
          ),
        ).toBe(words(text))
      }),
    )
  })

  it('reads only the new end of a growing text, and everything of another one', () => {
    const stream = new MarkdownBlocks()
    const [first] = stream.update('one\n\ntw')
    expect(stream.update('one\n\ntwo\n\nthree')[0]).toBe(first)
    expect(stream.update('other').map(block => block.raw)).toEqual(['other'])
  })

  it('keeps a fence together over blank lines and gives its language', () => {
    const [code, after] = splitMarkdown('```ts title\na\n\n# no heading\n```\nafter')
    expect(code).toMatchObject({ kind: 'code', lang: 'ts', raw: '```ts title\na\n\n# no heading\n```\n' })
    expect(after?.kind).toBe('paragraph')
  })

  it('closes a fence only with a fence at least as long', () => {
    expect(kinds('````\n```\n````\nx')).toEqual(['code', 'paragraph'])
  })

  it('keeps a list together over blank lines until something else begins', () => {
    expect(kinds('- a\n\n- b\n\n  more of b\n\ntext')).toEqual(['list', 'paragraph'])
  })

  it('keeps a table together', () => {
    expect(kinds('text\n\n| a |\n|---|\n| 1 |\n\nafter')).toEqual(['paragraph', 'table', 'paragraph'])
  })

  it('keeps the underline of a heading with its text', () => {
    expect(splitMarkdown('Title\n---\ntext')[0]?.raw).toContain('Title\n---')
  })

  it('leaves an open fence open at the end of a stream', () => {
    const stream = new MarkdownBlocks()
    expect(stream.update('```py\nprint(')).toMatchObject([{ kind: 'code', open: true, lang: 'py' }])
  })
})
