/** A change as data: a patch, the old text while it is small, and what the model should see of it. */
import { formatPatch } from 'diff'
import { linePatch } from './line-patch.ts'
import { toLines } from './text-page.ts'

const MAX_ORIGINAL = 1024 * 1024
const MAX_PATCH = 200_000

export interface ChangeData {
  readonly path: string
  readonly structuredPatch: readonly unknown[]
  readonly gitDiff: string
  /** Null for a new file; absent when too large. */
  readonly originalFile?: string | null
}

/** Texts with LF line ends. Very large texts get no patch: it would not be readable. */
export function describeChange(path: string, before: string | null, after: string): ChangeData {
  const original = (before?.length ?? 0) <= MAX_ORIGINAL ? { originalFile: before } : {}
  if ((before?.length ?? 0) > MAX_PATCH || after.length > MAX_PATCH)
    return { path, structuredPatch: [], gitDiff: '', ...original }
  const patch = linePatch({
    before: before ?? '',
    after,
    oldName: before === null ? '/dev/null' : `a${path}`,
    newName: `b${path}`,
    context: 3,
  })
  return { path, structuredPatch: patch.hunks, gitDiff: formatPatch(patch), ...original }
}

/** Numbered lines around a place, as Read shows them. `first` and `last` are 1-based. */
export function snippet(view: string, first: number, last: number, around = 4): string {
  const from = Math.max(1, first - around)
  return toLines(view)
    .slice(from - 1, last + around)
    .map(
      (line, i) =>
        `${String(from + i).padStart(6)}\t${line.length > 2000 ? `${line.slice(0, 2000)}…` : line}`,
    )
    .join('\n')
}
