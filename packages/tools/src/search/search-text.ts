/** The matches of a pattern in one text, in ripgrep's format. Pure. */
import { type HitLine, MAX_COLUMNS } from './grep-request.ts'
import type { Pattern } from './ripgrep-pattern.ts'

interface TextSearch {
  readonly mode: 'files_with_matches' | 'content' | 'count'
  readonly before: number
  readonly after: number
  readonly only_matching: boolean
  readonly multiline: boolean
}

interface TextHits {
  readonly lines: readonly (HitLine | undefined)[]
  /** Lines that hold a match; matches where they may span lines. */
  readonly count: number
}

/** `view` has LF line ends. Undefined when nothing is found. */
export function searchText(view: string, pattern: Pattern, search: TextSearch): TextHits | undefined {
  const lines = view.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const { matched, found, count } = pattern.spans
    ? acrossLines(view, lines, pattern.regexp)
    : lineByLine(lines, pattern.regexp)
  if (matched.size === 0) return undefined
  if (search.mode !== 'content') return { lines: [], count }
  if (!search.only_matching) return { lines: withContext(lines, matched, search), count }
  return { lines: found, count }
}

interface Matches {
  readonly matched: ReadonlySet<number>
  readonly found: readonly HitLine[]
  readonly count: number
}

/** An empty match right after another is no match. */
function* hits(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let end = -1
  for (const hit of text.matchAll(pattern)) {
    if (hit[0] !== '' || hit.index !== end) yield hit
    end = hit.index + hit[0].length
  }
}

function lineByLine(lines: readonly string[], pattern: RegExp): Matches {
  const matched = new Set<number>()
  const found: HitLine[] = []
  for (const [i, line] of lines.entries())
    for (const hit of hits(line, pattern)) {
      matched.add(i)
      found.push({ number: i + 1, match: true, text: cut(hit[0], MORE) })
    }
  return { matched, found, count: matched.size }
}

function acrossLines(view: string, lines: readonly string[], pattern: RegExp): Matches {
  const matched = new Set<number>()
  const found: HitLine[] = []
  let count = 0
  let line = 0
  let start = 0
  for (const hit of hits(view, pattern)) {
    for (
      let end = view.indexOf('\n', start);
      end !== -1 && end < hit.index;
      end = view.indexOf('\n', start)
    ) {
      line++
      start = end + 1
    }
    // After the last line break there is no line.
    if (line >= lines.length) continue
    count++
    // The line break at its end belongs to the line before.
    for (const [i, text] of hit[0].replace(/\n$/, '').split('\n').entries()) {
      matched.add(line + i)
      found.push({ number: line + i + 1, match: true, text: cut(text, MORE) })
    }
  }
  return { matched, found, count }
}

function withContext(
  lines: readonly string[],
  matched: ReadonlySet<number>,
  { before, after }: TextSearch,
): (HitLine | undefined)[] {
  const shown = new Set<number>()
  for (const at of matched)
    for (let i = Math.max(0, at - before); i <= Math.min(lines.length - 1, at + after); i++) shown.add(i)
  const out: (HitLine | undefined)[] = []
  let last: number | undefined
  for (const i of [...shown].sort((a, b) => a - b)) {
    if (last !== undefined && i > last + 1 && before + after > 0) out.push(undefined)
    out.push({ number: i + 1, match: matched.has(i), text: cut(lines[i] ?? '', END) })
    last = i
  }
  return out
}

/** Over-long lines and matches are shown as ripgrep shows them. */
const END = ' [... omitted end of long line]'
const MORE = ' [... 0 more matches]'
const cut = (line: string, mark: string): string =>
  line.length <= MAX_COLUMNS ? line : line.slice(0, MAX_COLUMNS) + mark
