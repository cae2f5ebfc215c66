/** Reading a title without a parser: the same as a plain expression finds, and never more than a look or two at each character. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pageText } from '../src/web/page-text.ts'
import { titleOf } from '../src/web/page-title.ts'

/** What is meant, said in the short way that takes hours on some pages. */
const plainTitle = (html: string): string | undefined =>
  /<title[^>]*>([^<]{1,500})/i.exec(html)?.[1]?.trim() || undefined

const PIECES = [
  '<title',
  '<TITLE a="b"',
  '<',
  '>',
  '</title>',
  '<script',
  '</script>',
  '</SCRIPT>',
  '<style',
  '</style>',
]
const page = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 25 })
  .map(pieces => pieces.join(''))

describe('a page', () => {
  test('gives the title that a plain expression finds', () => {
    fc.assert(
      fc.property(page, html => {
        expect(titleOf(html)).toBe(plainTitle(html))
      }),
      { numRuns: 2000 },
    )
    expect(titleOf(`<title>${'x'.repeat(600)}</title>`)).toHaveLength(500)
  })

  // A plain expression restarts at every `<` of each of these: minutes to hours.
  test('that opens things without end is read all the same', () => {
    const many = 2_000_000
    expect(titleOf('<title'.repeat(many))).toBeUndefined()
    expect(titleOf(`${'<title'.repeat(many)}><`)).toBeUndefined()
    expect(titleOf(`${'<title'.repeat(many)}>x`)).toBe('x')
  })

  test('that opens titles without end is fetched as text', () => {
    const html = `<html><p>words</p>${'<title'.repeat(30_000)}`
    expect(pageText(new TextEncoder().encode(html), 'text/html', 'http://a.example/')?.title).toBeUndefined()
  })
})
