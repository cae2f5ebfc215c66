/**
 * The difference of two texts in lines, in bounded time. The shortest edit script takes time quadratic in the
 * differences: a rewritten file of some thousand lines would block the server for minutes.
 */
import { type StructuredPatch, type StructuredPatchHunk, structuredPatch } from 'diff'

/** Lines added and removed up to which the shortest way is looked for: a tenth of a second at most. */
const MAX_EDITS = 1000

export interface PatchTexts {
  readonly before: string
  readonly after: string
  /** Names in the head of the patch. */
  readonly oldName: string
  readonly newName: string
  readonly context: number
}

/** Beyond the limit, everything between the first and the last difference is shown as replaced. */
export function linePatch({ before, after, oldName, newName, context }: PatchTexts): StructuredPatch {
  const options = { context, maxEditLength: MAX_EDITS }
  const shortest = structuredPatch(oldName, newName, before, after, '', '', options)
  if (shortest) return shortest
  const hunks = [replacement(before, after, context)]
  return { oldFileName: oldName, newFileName: newName, oldHeader: '', newHeader: '', hunks }
}

/** With their line ends: a last line without one is another line. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function replacement(before: string, after: string, context: number): StructuredPatchHunk {
  const [a, b] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(a.length, b.length)
  let same = 0
  while (same < shorter && a[same] === b[same]) same += 1
  let end = 0
  while (end < shorter - same && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const first = Math.max(0, same - context)
  const behind = Math.min(end, context)
  return {
    oldStart: first + 1,
    oldLines: a.length - end + behind - first,
    newStart: first + 1,
    newLines: b.length - end + behind - first,
    lines: [
      ...a.slice(first, same).flatMap(signed(' ')),
      ...a.slice(same, a.length - end).flatMap(signed('-')),
      ...b.slice(same, b.length - end).flatMap(signed('+')),
      ...a.slice(a.length - end, a.length - end + behind).flatMap(signed(' ')),
    ],
  }
}

const signed =
  (sign: string) =>
  (line: string): readonly string[] =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file']
