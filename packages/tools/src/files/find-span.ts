/**
 * Finds a text in a file when models quote it almost right. Each step of the ladder is looser than the one before
 * and must match exactly once; nothing beyond it is guessed.
 */
import { MAX_SPANS } from './file-limits.ts'
import { findText } from './find-text.ts'

export interface TextSpan {
  readonly start: number
  readonly end: number
}

export interface SpanMatch {
  readonly spans: readonly TextSpan[]
  /** The replacement as it must be inserted: shifted with the text it replaces. */
  readonly replacement: string
  /** The matching step; `exact` needs no mention. */
  readonly step: 'exact' | 'line ends' | 'trailing blanks' | 'punctuation' | 'indentation'
}

/** Characters; a larger file is not searched for what is almost right. */
const MAX_LOOSE = 4_000_000

/** `view` has LF line ends. No spans when nothing fits; several only for an exact match. */
export function findSpan(view: string, wanted: string, replacement: string): SpanMatch {
  const exact = occurrences(view, wanted)
  if (exact.length > 0) return { spans: exact, replacement: unix(replacement), step: 'exact' }
  const plain = unix(wanted)
  const byEol = plain === wanted ? [] : occurrences(view, plain)
  if (byEol.length > 0) return { spans: byEol, replacement: unix(replacement), step: 'line ends' }
  const loose = view.length > MAX_LOOSE ? [] : [byBlanks, byPunctuation, byIndentation]
  for (const find of loose) {
    const found = find(view, plain, unix(replacement))
    if (found.spans.length > 0) return found
  }
  return { spans: [], replacement: unix(replacement), step: 'exact' }
}

const unix = (text: string): string => text.replaceAll('\r\n', '\n')

function occurrences(text: string, wanted: string): readonly TextSpan[] {
  const spans: TextSpan[] = []
  for (const at of findText(text, wanted)) {
    spans.push({ start: at, end: at + wanted.length })
    if (spans.length > MAX_SPANS) break
  }
  return spans
}

function byBlanks(view: string, wanted: string, replacement: string): SpanMatch {
  return { spans: lineSpans(view, wanted, line => line.trimEnd()), replacement, step: 'trailing blanks' }
}

/** Curly quotes, long dashes and unusual spaces count as their plain forms: one character for one, so places stay. */
function byPunctuation(view: string, wanted: string, replacement: string): SpanMatch {
  const same = occurrences(flatten(view), flatten(wanted))
  const spans = same.length > 0 ? same : lineSpans(view, wanted, line => flatten(composed(line)).trimEnd())
  return { spans, replacement, step: 'punctuation' }
}

/** Composing takes time by the square of the marks on one letter, so a line with too many of them stays as it is. */
const composed = (line: string): string => (/\p{M}{32}/u.test(line) ? line : line.normalize('NFC'))

function flatten(text: string): string {
  return text
    .replaceAll(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
}

/** Every line moved by the same indentation; the replacement moves with it. */
function byIndentation(view: string, wanted: string, replacement: string): SpanMatch {
  const none: SpanMatch = { spans: [], replacement, step: 'indentation' }
  const spans = lineSpans(view, wanted, line => line.trim())
  const [span] = spans
  if (!span || spans.length > 1) return { ...none, spans }
  const shift = shiftBetween(wanted, view.slice(span.start, span.end))
  if (!shift) return none
  return { spans, replacement: replacement.split('\n').map(shift).join('\n'), step: 'indentation' }
}

/**
 * A function that maps a line of the first text to its position in the second; undefined if lines moved
 * differently.
 */
function shiftBetween(from: string, to: string): ((line: string) => string) | undefined {
  const after = to.split('\n')
  const pairs = from
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [[indentOf(line), indentOf(after[i] ?? '')] as const]))
  const [first] = pairs
  if (!first) return undefined
  const [a, b] = first
  if (b.endsWith(a)) {
    const added = b.slice(0, b.length - a.length)
    return pairs.every(([x, y]) => y === added + x)
      ? line => (line.trim() === '' ? line : added + line)
      : undefined
  }
  if (!a.endsWith(b)) return undefined
  const dropped = a.slice(0, a.length - b.length)
  if (!pairs.every(([x, y]) => x === dropped + y)) return undefined
  return line => (line.startsWith(dropped) ? line.slice(dropped.length) : line)
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ''

/** Runs of whole lines that equal the wanted ones after `normalise`. Blank lines alone match nothing. */
function lineSpans(view: string, wanted: string, normalise: (line: string) => string): readonly TextSpan[] {
  const lines = view.split('\n')
  const open = wanted.endsWith('\n')
  const target = (open ? wanted.slice(0, -1) : wanted).split('\n').map(normalise)
  if (target.every(line => line === '')) return []
  const starts = startsOf(lines)
  const spans: TextSpan[] = []
  for (const first of findRuns(lines.map(normalise), target)) {
    const last = first + target.length - 1
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0)
    if (open && last === lines.length - 1) continue
    spans.push({ start: starts[first] ?? 0, end: open ? end + 1 : end })
    if (spans.length > MAX_SPANS) break
  }
  return spans
}

/**
 * Start indexes of the target in the list, overlapping ones too. Every element is visited twice at most (Knuth,
 * Morris, Pratt).
 */
function* findRuns(list: readonly string[], target: readonly string[]): Generator<number> {
  const borders = bordersOf(target)
  let matched = 0
  for (const [i, line] of list.entries()) {
    while (matched > 0 && line !== target[matched]) matched = borders[matched - 1] ?? 0
    if (line === target[matched]) matched++
    if (matched < target.length) continue
    yield i - target.length + 1
    matched = borders[matched - 1] ?? 0
  }
}

/** For each beginning of the list, how many of its first elements are its last ones too. */
function bordersOf(list: readonly string[]): readonly number[] {
  const borders = [0]
  let matched = 0
  for (let i = 1; i < list.length; i++) {
    while (matched > 0 && list[i] !== list[matched]) matched = borders[matched - 1] ?? 0
    if (list[i] === list[matched]) matched++
    borders.push(matched)
  }
  return borders
}

function startsOf(lines: readonly string[]): readonly number[] {
  let at = 0
  return lines.map(line => {
    const start = at
    at += line.length + 1
    return start
  })
}
