/** Selects the lines of a change that a card shows. */
import type { DiffLine } from '../../tools/tool-body.ts'

/** Lines of both ends at first, and those that a click adds: a table of all lines of a large change takes seconds. */
export const DIFF_HEAD = 40
const TAIL = 20
export const DIFF_MORE = 1000
/** Above this many a full view is text in pieces, not a table. */
export const DIFF_TABLE = 2000

export interface DiffRows {
  readonly head: readonly DiffLine[]
  /** Lines between the two. */
  readonly hidden: number
  readonly tail: readonly DiffLine[]
}

/** The first `count` lines and the last ones; all of them where few would be left out. */
export function diffRows(lines: readonly DiffLine[], count: number): DiffRows {
  const hidden = lines.length - count - TAIL
  return hidden > 0
    ? { head: lines.slice(0, count), hidden, tail: lines.slice(-TAIL) }
    : { head: lines, hidden: 0, tail: [] }
}

export const DIFF_SIGNS = { same: ' ', add: '+', remove: '−', gap: '⋯' } as const

/** A change as text, for those that no table can hold. */
export const diffText = (lines: readonly DiffLine[]): string =>
  lines.map(({ type, text }) => `${DIFF_SIGNS[type]} ${text}`).join('\n')
