/** Markdown of a hostile model: parsed in bounds, read as text where it is out of them. */
import { MarkdownBlocks } from '@toolwire/core/view'
import { describe, expect, test } from 'vitest'
import { nestedTexts } from '../../../packages/core/test/view/nested-text.ts'
import { parseMarkdown } from '../src/markdown/parse-markdown.ts'

interface Node {
  readonly raw?: string
  readonly tokens?: readonly Node[]
  readonly items?: readonly Node[]
}
const inside = ({ tokens = [], items = [] }: Node): readonly Node[] => [...tokens, ...items]

/** Elements in elements. Walks without recursion: the tokens of the parser alone would end it. */
function levelsOf(tokens: readonly Node[]): number {
  let level = 0
  for (let row = tokens; row.length > 0; level += 1) row = row.flatMap(inside)
  return level
}

const parsed = (text: string) => {
  const blocks = new MarkdownBlocks().update(text)
  return blocks.map(({ kind, raw }) => ({ raw, tokens: kind === 'code' ? undefined : parseMarkdown(raw) }))
}

describe.each([300, 3000, 30_000, 1_000_000])('%i characters', size => {
  test.each(Object.entries(nestedTexts(size)))('%s are drawn in bounds, and no text is lost', (_, text) => {
    const blocks = parsed(text)
    const letters = (all: string) => all.replace(/\s/g, '').length
    expect(blocks.reduce((sum, { raw }) => sum + letters(raw), 0)).toBe(letters(text))
    for (const { raw, tokens } of blocks) {
      expect(raw.length).toBeLessThanOrEqual(100_000)
      if (!tokens) continue
      expect(levelsOf(tokens)).toBeLessThanOrEqual(40)
      expect(tokens.map(token => token.raw).join('').length).toBeGreaterThanOrEqual(raw.trim().length)
    }
  })
})

test('what is too deep is the text that it was', () => {
  const [quote] = parseMarkdown(`${'> '.repeat(16)}${'*'.repeat(40)}deep${'*'.repeat(40)}`) ?? []
  expect(levelsOf(quote ? [quote] : [])).toBe(17)
  expect(JSON.stringify(quote)).toContain('deep')
  expect(parseMarkdown('>'.repeat(3000))).toBeUndefined()
  // The parser takes a time that grows with the square of such levels.
  for (const mark of ['> ', '- ', '1. ', ' '])
    expect(parseMarkdown(`${mark.repeat(200)}- deep`)).toBeUndefined()
})

test('what people write is parsed as before', () => {
  const item = (n: number) =>
    `${'  '.repeat(n % 8)}- **item ${n}** with \`code\` and [a link](https://x.example)`
  const list = Array.from({ length: 150 }, (_, n) => item(n)).join('\n')
  const table = `| a | b |\n|---|---|\n${'| one | *two* |\n'.repeat(500)}`
  const quote = `${'> '.repeat(8)}quoted`
  const address = `[signed](https://x.example/?token=${'a1'.repeat(400)})`
  for (const text of [list, table, quote, address, 'word '.repeat(15_000)])
    expect(parseMarkdown(text)?.length).toBeGreaterThan(0)
})
