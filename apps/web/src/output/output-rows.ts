/** The complete output as rows that a browser can lay out: a line, or a part of a very long one. */

export interface OutputRow {
  readonly text: string
  /** The line's number, on its first row only. */
  readonly line?: number
}

/** Layout of one element with a megabyte of text takes seconds. */
const MAX_ROW = 4000

/** Joined without breaks inside a line, the rows are the whole text. A trailing line break starts no line. */
export const toOutputRows = (text: string): readonly OutputRow[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line, index) =>
      splitLine(line).map((part, n) => (n === 0 ? { text: part, line: index + 1 } : { text: part })),
    )

export const countOutputLines = (rows: readonly OutputRow[]): number =>
  rows.findLast(row => row.line !== undefined)?.line ?? 0

function splitLine(line: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  while (line.length - from > MAX_ROW) {
    const end = from + MAX_ROW
    // A surrogate pair stays together.
    const cut = /[\uDC00-\uDFFF]/.test(line[end] ?? '') ? end - 1 : end
    parts.push(line.slice(from, cut))
    from = cut
  }
  return [...parts, line.slice(from)]
}

/** Indexes of the rows that hold a text, in any case; none for an empty text. */
export function findRows(rows: readonly OutputRow[], wanted: string): readonly number[] {
  const text = wanted.trim().toLowerCase()
  if (text === '') return []
  return rows.flatMap((row, index) => (row.text.toLowerCase().includes(text) ? [index] : []))
}
