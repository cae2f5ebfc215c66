/** Line differences for display: from two texts, or from a unified patch. */
import type { DiffLine, ToolBody } from './tool-body.ts'

/** Above this many cells the middle is shown as replaced as a whole. */
const MAX_CELLS = 250_000
const CONTEXT = 3

/** The lines of `after` against `before`, with three lines of context and gaps for the rest. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = toLines(before)
  const b = toLines(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const out: DiffLine[] = []
  const same = (i: number, j: number) =>
    out.push({ type: 'same', text: a[i] ?? '', old_line: i + 1, new_line: j + 1 })
  for (let i = Math.max(0, start - CONTEXT); i < start; i++) same(i, i)
  middle(out, { a: a.slice(start, a.length - end), b: b.slice(start, b.length - end), start })
  for (let i = 0; i < Math.min(end, CONTEXT); i++) same(a.length - end + i, b.length - end + i)
  return out
}

const toLines = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

interface Middle {
  readonly a: readonly string[]
  readonly b: readonly string[]
  readonly start: number
}

function middle(out: DiffLine[], { a, b, start }: Middle): void {
  const table = a.length * b.length > MAX_CELLS ? undefined : commonLengths(a, b)
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const keep = table && i < a.length && j < b.length && a[i] === b[j]
    const remove = i < a.length && (j >= b.length || !table || at(table, i + 1, j) >= at(table, i, j + 1))
    if (keep) {
      out.push({ type: 'same', text: a[i] ?? '', old_line: start + i + 1, new_line: start + j + 1 })
      i += 1
      j += 1
    } else if (remove) {
      out.push({ type: 'remove', text: a[i] ?? '', old_line: start + i + 1 })
      i += 1
    } else {
      out.push({ type: 'add', text: b[j] ?? '', new_line: start + j + 1 })
      j += 1
    }
  }
}

const at = (table: readonly Uint32Array[], i: number, j: number): number => table[i]?.[j] ?? 0

/** `table[i][j]`: length of the longest common subsequence of `a` from i and `b` from j. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    const row = table[i]
    if (!row) continue
    for (let j = b.length - 1; j >= 0; j--)
      row[j] =
        a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1))
  }
  return table
}

/** The hunks of a unified patch; undefined when the text is none. */
export function patchLines(patch: string): readonly DiffLine[] | undefined {
  const out: DiffLine[] = []
  let at: Place | undefined
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk) {
      if (at) out.push({ type: 'gap', text: '' })
      at = { old_line: Number(hunk[1]), new_line: Number(hunk[2]) }
    } else if (at) patchLine(out, line, at)
  }
  return out.length > 0 ? out : undefined
}

interface Place {
  old_line: number
  new_line: number
}

function patchLine(out: DiffLine[], line: string, at: Place): void {
  const text = line.slice(1)
  if (line.startsWith('-')) out.push({ type: 'remove', text, old_line: at.old_line++ })
  else if (line.startsWith('+')) out.push({ type: 'add', text, new_line: at.new_line++ })
  else if (line.startsWith(' '))
    out.push({ type: 'same', text, old_line: at.old_line++, new_line: at.new_line++ })
}

/** A body of lines, counted. */
export function toDiff(path: string, lines: readonly DiffLine[]): ToolBody {
  const count = (type: DiffLine['type']) => lines.filter(line => line.type === type).length
  return { kind: 'diff', path, lines, added: count('add'), removed: count('remove') }
}
