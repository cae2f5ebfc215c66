/**
 * Bounded parsing. The parser recurses for each level and looks back over a paragraph for each mark, so a block that
 * nests too deep or has too many marks is shown as it was written.
 */
import { lexer, type Tokens as Marked, type Token } from 'marked'

/** Levels of quotes, lists, emphasis and links that are drawn; what is deeper is text. */
const LEVELS = 16
/** Maximum indentation of the deepest list item. */
const INDENT = 80
/** Characters of a block and of one word in it, and marks in the block. */
const BLOCK = 100_000
const WORD = 1000
const MARKS = 2000

const LEADING = /(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))+[ \t]*/y
const LEVEL = />|[-*+]|\d+[.)]/g
const LONG_WORD = new RegExp(`\\S{${WORD}}`)
const MARK = /[*_~`[\]<]/g

/** The tokens of a block; undefined when it is too large or too deep for them. Never throws. */
export function parseMarkdown(source: string): readonly Token[] | undefined {
  if (!isBounded(source)) return undefined
  try {
    return limitLevels(lexer(source, { gfm: true }), LEVELS)
  } catch {
    return undefined
  }
}

/** True if parsing takes linear time. Linear itself. */
export const isBounded = (source: string): boolean =>
  source.length <= BLOCK &&
  !LONG_WORD.test(source) &&
  (source.match(MARK)?.length ?? 0) <= MARKS &&
  !source.split('\n').some(isDeep)

function isDeep(line: string): boolean {
  LEADING.lastIndex = 0
  const leading = LEADING.exec(line)?.[0] ?? ''
  return leading.length > INDENT || (leading.match(LEVEL)?.length ?? 0) > LEVELS
}

/** Below the last level a token is the text that it was. */
function limitLevels(tokens: readonly Token[], levels: number): Token[] {
  return tokens.map(token => {
    const { items } = token as Marked.List
    const inner = 'tokens' in token ? token.tokens : undefined
    if (!items && !inner?.length) return token
    if (levels === 0) return { type: 'text', raw: token.raw, text: token.raw }
    if (inner) return { ...token, tokens: limitLevels(inner, levels - 1) }
    return { ...token, items: limitLevels(items, levels) }
  })
}
