/**
 * A text for the plain regular expressions that schemas use: literals, classes, escapes,
 * counts, one level of groups and alternatives. Not a full generator: beyond that its answer may miss.
 */
interface PatternPiece {
  readonly character: string
  readonly least: number
}

/** Text that a simple pattern accepts; `nth` varies it a little where a class allows. */
export function matchingText(pattern: string, nth: number): string {
  const body = pattern.replace(/^\^/, '').replace(/\$$/, '')
  const flat = body.replace(/\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)/g, '$1')
  const piece = /(\[(?:\\.|[^\]\\])+\]|\\.|[^\\])(?:\{(\d+)(?:,\d*)?\}|([*+?]))?/gu
  let text = ''
  for (const [, atom = '', count, mark] of flat.matchAll(piece)) {
    const { character, least }: PatternPiece = {
      character: characterFor(atom, nth),
      least: count === undefined ? 1 : Math.min(1000, Number(count)),
    }
    text += mark === '*' || mark === '?' ? '' : character.repeat(least)
  }
  return text
}

function characterFor(atom: string, nth: number): string {
  if (atom === '.' || atom === '\\w') return 'a'
  if (atom === '\\d') return String(nth % 10)
  if (atom === '\\s') return ' '
  if (atom.startsWith('\\')) return atom.slice(1)
  if (!atom.startsWith('[')) return atom
  const test = new RegExp(atom, 'u')
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- .:/'
  const fitting = [...letters].filter(letter => test.test(letter))
  return fitting[nth % Math.max(1, fitting.length)] ?? ''
}
