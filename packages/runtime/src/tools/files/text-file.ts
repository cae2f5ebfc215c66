/**
 * A text file as tools see it: lines end in LF, whatever the file has. Positions in this view
 * lead back to the exact bytes, so what is not edited is never rewritten.
 */
import { byteOffset, type Charset, decode, detectCharset } from './charset.ts'

type Eol = 'lf' | 'crlf' | 'mixed' | 'none'

export interface TextFile {
  /** The text with every CRLF as LF. */
  readonly view: string
  readonly charset: Charset
  readonly eol: Eol
  /** Byte position of a place in the view. */
  readonly toByte: (viewIndex: number) => number
  /** The line end to use for lines inserted at this place: that of the lines around it. */
  readonly eolAt: (viewIndex: number) => '\n' | '\r\n'
}

export function readText(bytes: Uint8Array, preferred?: string): TextFile {
  const charset = detectCharset(bytes, preferred)
  const raw = decode(bytes, charset)
  const removed = crlfPositions(raw)
  const view = removed.length === 0 ? raw : raw.replaceAll('\r\n', '\n')
  const breaks = view.split('\n').length - 1
  const eol: Eol =
    breaks === 0 ? 'none' : removed.length === 0 ? 'lf' : removed.length === breaks ? 'crlf' : 'mixed'

  /** A line break of the view begins at its CR in the file. */
  const toRaw = (index: number): number => index + countBelow(removed, index)
  return {
    view,
    charset,
    eol,
    toByte: index => byteOffset(bytes, charset, raw, toRaw(index)),
    eolAt(index) {
      if (eol !== 'mixed') return eol === 'crlf' ? '\r\n' : '\n'
      const next = view.indexOf('\n', index)
      const near = next === -1 ? view.lastIndexOf('\n', index) : next
      return near !== -1 && isRemoved(removed, near) ? '\r\n' : '\n'
    },
  }
}

/** Places in the view of line breaks that are CRLF in the file, ascending. */
function crlfPositions(raw: string): readonly number[] {
  const out: number[] = []
  for (let i = raw.indexOf('\r\n'); i !== -1; i = raw.indexOf('\r\n', i + 2)) out.push(i - out.length)
  return out
}

function countBelow(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

const isRemoved = (sorted: readonly number[], value: number): boolean =>
  sorted[countBelow(sorted, value)] === value
