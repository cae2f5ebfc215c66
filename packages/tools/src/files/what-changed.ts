/**
 * The changes of a file between two readings, in lines for the model: its text, and its invisible format. Pure.
 */
import { formatPatch } from 'diff'
import { MAX_SHOWN_LINES } from './file-limits.ts'
import { type LedgerEntry, shiftSeen } from './ledger.ts'
import { linePatch } from './line-patch.ts'
import type { FileStyle } from './new-file-style.ts'
import { readText, styleOf, type TextFile } from './text-file.ts'

/** Characters; what differs between larger texts is not looked for. */
const MAX_TEXT = 1_000_000

/**
 * No lines when nothing changed that can be shown; undefined when the texts are too large to be compared. `preferred` is the
 * charset that the project names.
 */
export function whatChanged(
  before: Uint8Array,
  now: Uint8Array,
  preferred: string | undefined,
): readonly string[] | undefined {
  const [was, is] = [readText(before, preferred), readText(now, preferred)]
  if (was.view === is.view) return formChanges(was, is)
  if (Math.max(was.view.length, is.view.length) > MAX_TEXT) return undefined
  const texts = { before: was.view, after: is.view, oldName: 'before', newName: 'now', context: 1 }
  const patch = formatPatch(linePatch(texts))
  return [...formChanges(was, is), ...patch.trimEnd().split('\n').slice(1)]
}

function formChanges(was: TextFile, is: TextFile): readonly string[] {
  const changes = [
    ['charset', was.charset.name, is.charset.name],
    ['byte order mark', was.charset.bom > 0 ? 'yes' : 'no', is.charset.bom > 0 ? 'yes' : 'no'],
    ['line ends', was.eol, is.eol],
  ]
  return changes.flatMap(([what, old, now]) => (old === now ? [] : [`${what}: ${old}, now ${now}`]))
}

/** A change by another program, as a session takes it over. */
export interface TakenOver {
  readonly lines: readonly string[]
  readonly seen: LedgerEntry['seen']
  readonly style: FileStyle
}

/** Undefined when the change is too large to be shown. `seen` is what was seen of the file before. */
export function takeOverChange(
  before: Uint8Array,
  now: Uint8Array,
  seen: LedgerEntry['seen'],
  preferred: string | undefined,
): TakenOver | undefined {
  const lines = whatChanged(before, now, preferred)
  if (!lines || lines.length > MAX_SHOWN_LINES) return undefined
  const file = readText(now, preferred)
  const moved = movedSeen(seen, readText(before, preferred).view, file.view)
  return { lines, seen: moved, style: styleOf(file) }
}

/** The lines that are shown are seen, the others move with them. */
function movedSeen(seen: LedgerEntry['seen'], before: string, now: string): LedgerEntry['seen'] {
  const { hunks } = linePatch({ before, after: now, oldName: '', newName: '', context: 0 })
  return hunks
    .toReversed()
    .reduce(
      (known, { oldStart, oldLines, newLines }) =>
        shiftSeen(known, oldStart, oldStart + oldLines - 1, newLines),
      seen,
    )
}
