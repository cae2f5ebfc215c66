/**
 * Splits a text of any length into pieces that a browser can lay out. Every position is an offset in `shown`, so
 * search and drawing agree on each character.
 */
import { type AnsiSpan, ansiSpans } from '../../ansi.ts'

/** Rows per piece: the browser lays out only the pieces that are in sight. */
const ROWS = 200
/** Longer lines are broken: a browser takes seconds for one line of a megabyte. */
const WIDE = 1000

export interface PanePiece {
  /** The first character of it, and the first one behind it. */
  readonly from: number
  readonly to: number
  /** Offsets of drawn breaks in a wide line, which the text does not have. None is needed at the end. */
  readonly breaks: readonly number[]
  /** Its spans in order; together they are `shown` from `from` to `to`. */
  readonly spans: readonly AnsiSpan[]
}

export interface PaneText {
  /** The text without control sequences where they are understood. */
  readonly shown: string
  readonly lines: number
  readonly pieces: readonly PanePiece[]
}

/** Linear in the text. A break at its end begins no line. */
export function paneText(text: string, ansi: boolean): PaneText {
  const whole = text.replace(/\n$/, '')
  const spans = ansi ? ansiSpans(whole) : [{ text: whole }]
  const shown = ansi ? spans.map(span => span.text).join('') : whole
  const ranges = rangesOf(shown)
  const lines = ranges.reduce((sum, range) => sum + range.lines, 0)
  return { shown, lines, pieces: withSpans(ranges, spans) }
}

interface Range {
  readonly from: number
  readonly to: number
  readonly breaks: readonly number[]
  /** Lines that end in it. */
  readonly lines: number
}

function rangesOf(shown: string): readonly Range[] {
  const ranges: Range[] = []
  let row = 0
  do {
    const from = row
    const breaks: number[] = []
    let to = row
    let lines = 0
    for (let rows = 0; rows < ROWS && row <= shown.length; rows++) {
      const end = rowEnd(shown, row)
      to = end
      if (isLineEnd(shown, end)) lines += 1
      else breaks.push(end)
      row = isLineEnd(shown, end) ? end + 1 : end
    }
    ranges.push({ from, to, breaks, lines })
  } while (row <= shown.length)
  return ranges
}

const isLineEnd = (shown: string, at: number): boolean => at >= shown.length || shown[at] === '\n'

function rowEnd(shown: string, from: number): number {
  const at = shown.indexOf('\n', from)
  const end = at < 0 ? shown.length : at
  if (end - from <= WIDE) return end
  const cut = from + WIDE
  // Not between the two halves of one character.
  return /[\uDC00-\uDFFF]/.test(shown[cut] ?? '') ? cut - 1 : cut
}

function withSpans(ranges: readonly Range[], spans: readonly AnsiSpan[]): readonly PanePiece[] {
  let index = 0
  let start = 0
  return ranges.map(({ from, to, breaks }) => {
    const inside: AnsiSpan[] = []
    for (let span = spans[index]; span && start < to; span = spans[index]) {
      const end = start + span.text.length
      const text = span.text.slice(Math.max(0, from - start), to - start)
      if (text !== '') inside.push({ ...span, text })
      if (end > to) break
      start = end
      index += 1
    }
    return { from, to, breaks, spans: inside }
  })
}

/** Matches in one piece: their offsets, and the index of the current one (-1: none here). */
export interface PieceMarks {
  readonly starts: readonly number[]
  readonly size: number
  readonly current: number
}

/** A stretch of a piece that is drawn in one way. */
export interface PaneRun {
  readonly text: string
  readonly span: AnsiSpan
  readonly found?: 'match' | 'current'
}

/** The piece from its beginning to its end, with breaks in wide lines. Joined they are what is drawn. */
export function pieceRuns(piece: PanePiece, marks?: PieceMarks): readonly PaneRun[] {
  const runs: PaneRun[] = []
  let at = piece.from
  for (const span of piece.spans) {
    const end = at + span.text.length
    for (const { from, to, found } of cutByMarks(at, end, marks)) {
      const text = withBreaks(span.text.slice(from - at, to - at), from, piece.breaks)
      runs.push({ text, span, ...(found ? { found } : {}) })
    }
    at = end
  }
  return runs
}

interface Cut {
  readonly from: number
  readonly to: number
  readonly found?: 'match' | 'current'
}

function cutByMarks(from: number, to: number, marks: PieceMarks | undefined): readonly Cut[] {
  if (!marks) return [{ from, to }]
  const cuts: Cut[] = []
  let at = from
  for (const start of marks.starts) {
    const begin = Math.max(start, at)
    const end = Math.min(start + marks.size, to)
    if (end <= begin) continue
    if (begin > at) cuts.push({ from: at, to: begin })
    cuts.push({ from: begin, to: end, found: start === marks.current ? 'current' : 'match' })
    at = end
  }
  if (at < to) cuts.push({ from: at, to })
  return cuts
}

function withBreaks(text: string, from: number, breaks: readonly number[]): string {
  let drawn = ''
  let at = 0
  for (const place of breaks) {
    const next = place - from
    if (next < at || next >= text.length) continue
    drawn += `${text.slice(at, next)}\n`
    at = next
  }
  return drawn + text.slice(at)
}
