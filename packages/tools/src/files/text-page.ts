/** A page of lines of a text that is in memory. Pure. */
import type { Charset } from './charset.ts'
import { hashOf } from './ledger.ts'
import { readText } from './text-file.ts'

export interface TextPage {
  readonly lines: readonly string[]
  /** 1-based number of the first line. */
  readonly first: number
  /** Lines of the whole file; undefined when it was not read to its end. */
  readonly total: number | undefined
  readonly charset: Charset
  readonly eol: string
  readonly sha256: string | undefined
  /** All of the file, when it was read whole. */
  readonly bytes?: Uint8Array
  /** More lines follow. */
  readonly more: boolean
}

export interface PageChoice {
  /** 1-based. */
  readonly first: number
  readonly limit: number
  /** The charset that the project names. */
  readonly preferred?: string | undefined
}

export function pageOf(bytes: Uint8Array, { first, limit, preferred }: PageChoice): TextPage {
  const { view, charset, eol, breaks } = readText(bytes, preferred)
  const total = view === '' || view.endsWith('\n') ? breaks : breaks + 1
  return {
    lines: linesFrom(view, first, limit),
    first,
    total,
    charset,
    eol,
    sha256: hashOf(bytes),
    more: first - 1 + limit < total,
  }
}

/** Without a list of all lines: that of a large file takes more memory than the file. */
function linesFrom(view: string, first: number, limit: number): readonly string[] {
  let start = 0
  for (let line = 1; line < first; line++) {
    const end = view.indexOf('\n', start)
    if (end === -1) return []
    start = end + 1
  }
  const lines: string[] = []
  while (lines.length < limit && start < view.length) {
    const end = view.indexOf('\n', start)
    lines.push(view.slice(start, end === -1 ? undefined : end))
    start = end === -1 ? view.length : end + 1
  }
  return lines
}

/** A final line break ends the last line; it does not begin another. */
export function toLines(view: string): readonly string[] {
  if (view === '') return []
  const lines = view.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
