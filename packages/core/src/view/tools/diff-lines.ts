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
  const first = Math.max(0, start - CONTEXT)
  const place = { old_line: first + 1, new_line: first + 1 }
  const out: DiffLine[] = []
  for (const line of [
    ...a.slice(first, start).map(keep),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end, a.length - end + CONTEXT).map(keep),
  ])
    patchLine(out, line, place)
  return out
}

const keep = (text: string): string => ` ${text}`
const toLines = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** The way from `a` to `b` as the lines of a patch. */
function middle(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length * b.length > MAX_CELLS) return [...a.map(line => `-${line}`), ...b.map(line => `+${line}`)]
  const table = commonLengths(a, b)
  const out: string[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; )
    if (i < a.length && a[i] === b[j]) {
      out.push(` ${a[i++]}`)
      j++
    } else if (i < a.length && at(table, i + 1, j) >= at(table, i, j + 1)) out.push(`-${a[i++]}`)
    else out.push(`+${b[j++]}`)
  return out
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

/** The hunks of a unified patch; undefined if the text is no patch. */
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
