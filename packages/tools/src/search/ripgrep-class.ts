/** A class of characters in ripgrep's patterns, as JavaScript writes it. Pure. */
import { escapeAt, PatternError, quote } from './ripgrep-escape.ts'

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '\\x21-\\x7E',
  lower: 'a-z',
  print: '\\x20-\\x7E',
  punct: '\\x21-\\x2F\\x3A-\\x40\\x5B-\\x60\\x7B-\\x7E',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

/** The class that begins at this place, and how much of the pattern it takes. Throws `PatternError`. */
export function readClass(
  pattern: string,
  start: number,
  multiline: boolean,
): { readonly text: string; readonly length: number } {
  const negated = pattern[start + 1] === '^'
  let at = start + (negated ? 2 : 1)
  let left: string | undefined
  let items = ''
  let isFirst = true

  function literalAt(): { readonly text: string; readonly length: number } {
    if (pattern[at] === '\\') {
      const found = escapeAt(pattern, at, multiline)
      if (found.type !== 'literal')
        throw new PatternError('invalid escape sequence or range boundary in a character class')
      return found
    }
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
    return { text: quote(char), length: char.length }
  }

  function item(): void {
    const posix = /^\[:(\^?)(\w+):\]/.exec(pattern.slice(at))
    const named = POSIX[posix?.[2] ?? '']
    if (posix && named !== undefined) {
      items += `[${posix[1]}${named}]`
      at += posix[0].length
      return
    }
    if (pattern[at] === '[') {
      const inner = readClass(pattern, at, multiline)
      items += inner.text
      at += inner.length
      return
    }
    const found = pattern[at] === '\\' ? escapeAt(pattern, at, multiline) : undefined
    if (found?.type === 'class') {
      items += found.text
      at += found.length
      if (isRange()) throw new PatternError('invalid range boundary, must be a literal')
      return
    }
    range()
  }

  function range(): void {
    const from = literalAt()
    at += from.length
    items += from.text
    if (!isRange()) return
    at++
    const to = literalAt()
    at += to.length
    items += `-${to.text}`
  }

  const isRange = (): boolean => pattern[at] === '-' && !/^-(?:\]|-|$)/.test(pattern.slice(at))

  /** Operators bind weaker than concatenation, and to the left. */
  function combine(operator: string): void {
    if (operator === '~~') throw new PatternError('~~ is not understood without ripgrep')
    left = joined()
    items = operator
    at += 2
  }

  function joined(): string {
    if (left === undefined) return `[${items}]`
    return `[${left}${items.slice(0, 2)}[${items.slice(2)}]]`
  }

  for (; ; isFirst = false) {
    if (at >= pattern.length) throw new PatternError('unclosed character class')
    const two = pattern.slice(at, at + 2)
    if (pattern[at] === ']' && !isFirst) break
    if (two === '&&' || two === '~~' || (two === '--' && !isFirst)) combine(two)
    else item()
  }
  const text = joined()
  return { text: negated ? `[^${text}]` : text, length: at + 1 - start }
}
