/**
 * A text file as tools see it: lines end in LF, whatever the file has. Positions in this view
 * lead back to the exact bytes, so what is not edited is never rewritten.
 */
import { createByteOffsets } from './byte-offsets.ts'
import { type Charset, decode, detectCharset } from './charset.ts'

type Eol = 'lf' | 'crlf' | 'mixed' | 'none'

export interface TextFile {
  /** The text with every CRLF as LF. */
  readonly view: string
  readonly charset: Charset
  readonly eol: Eol
  /** Its number of line breaks. */
  readonly breaks: number
  /** Byte position of a place in the view. */
  readonly toByte: (viewIndex: number) => number
  /** The line end to use for lines inserted at this place: that of the lines around it. */
  readonly eolAt: (viewIndex: number) => '\n' | '\r\n'
}

export function readText(bytes: Uint8Array, preferred?: string): TextFile {
  const charset = detectCharset(bytes, preferred)
  const raw = decode(bytes, charset)
  const view = withLf(raw)
  const crlf = raw.length - view.length
  const breaks = countBreaks(view)
  const eol: Eol = breaks === 0 ? 'none' : crlf === 0 ? 'lf' : crlf === breaks ? 'crlf' : 'mixed'
  let positions: Int32Array | undefined
  let offsets: ((rawIndex: number) => number) | undefined
  /** The last answer of `lineBreakAt`, and up to where it is the same. */
  let around = { from: 0, to: -1, at: -1 }

  const crlfs = (): Int32Array => {
    positions ??= crlfPositions(raw, crlf)
    return positions
  }
  /** The next line break, or the last one of all. */
  function lineBreakAt(index: number): number {
    if (index >= around.from && index <= around.to) return around.at
    const next = view.indexOf('\n', index)
    const isLast = next === -1
    around = { from: index, to: isLast ? view.length : next, at: isLast ? view.lastIndexOf('\n') : next }
    return around.at
  }
  /** A line break of the view begins at its CR in the file. */
  const toRaw = (index: number): number => index + countBelow(crlfs(), index)
  return {
    view,
    charset,
    eol,
    breaks,
    toByte(index) {
      offsets ??= createByteOffsets(bytes, charset, raw)
      return offsets(toRaw(index))
    },
    eolAt(index) {
      if (eol !== 'mixed') return eol === 'crlf' ? '\r\n' : '\n'
      const near = lineBreakAt(index)
      return near !== -1 && isRemoved(crlfs(), near) ? '\r\n' : '\n'
    },
  }
}

/** The file's format, for writing it again. */
export const styleOf = ({
  charset,
  eol,
}: TextFile): { readonly charset: string; readonly eol: string; readonly bom: boolean } => ({
  charset: charset.name,
  eol,
  bom: charset.bom > 0,
})

const BLOCK = 64 * 1024

/** Block by block: a list of all lines of a large file takes more memory than the file. */
function withLf(raw: string): string {
  if (!raw.includes('\r\n')) return raw
  const blocks: string[] = []
  for (let at = 0; at < raw.length; ) {
    const end = at + BLOCK
    const isSplit = raw[end - 1] === '\r' && raw[end] === '\n'
    const block = raw.slice(at, isSplit ? end + 1 : end)
    blocks.push(block.split('\r\n').join('\n'))
    at += block.length
  }
  return blocks.join('')
}

function countBreaks(view: string): number {
  let breaks = 0
  for (let at = view.indexOf('\n'); at !== -1; at = view.indexOf('\n', at + 1)) breaks++
  return breaks
}

/** Positions in the view of line breaks that are CRLF in the file, ascending. */
function crlfPositions(raw: string, count: number): Int32Array {
  const out = new Int32Array(count)
  let found = 0
  for (let i = raw.indexOf('\r\n'); i !== -1; i = raw.indexOf('\r\n', i + 2)) {
    out[found] = i - found
    found++
  }
  return out
}

function countBelow(sorted: Int32Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

const isRemoved = (sorted: Int32Array, value: number): boolean => sorted[countBelow(sorted, value)] === value
