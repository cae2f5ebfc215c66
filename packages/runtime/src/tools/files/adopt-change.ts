/**
 * A formatter that runs right after a call has written a file changes it once more. That counts as part of the call: the
 * model is told what changed and need not read the file again, and undo takes back both.
 */
import { readFile, stat } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { structuredPatch } from 'diff'
import { findBlob, keepSeen } from './blobs.ts'
import { CHANGE_NOTE, type ChangeNote } from './change-file.ts'
import { preferredCharset } from './editorconfig.ts'
import { entryOf, hashOf, type LedgerEntry, recordWritten, shiftSeen } from './ledger.ts'
import { readText } from './text-file.ts'
import { whatChanged } from './what-changed.ts'

const MAX_LINES = 40

/**
 * What another program made of the file that this call wrote, as text for the model; undefined when there is nothing to
 * tell. A change too large to be told is not taken over: then the file has to be read again. Idempotent.
 */
export async function adoptChange(context: ToolContext): Promise<string | undefined> {
  const note = context.notes.get(CHANGE_NOTE + context.call_id) as ChangeNote | undefined
  const entry = note && entryOf(context, note.path)
  if (!note?.after || entry?.sha256 !== note.after) return undefined
  const { path } = note
  const now = await readFile(path).catch(() => undefined)
  const sha256 = now && hashOf(now)
  if (!now || !sha256 || sha256 === note.after) return undefined
  const before = await findBlob(context, note.after)
  if (!before) return undefined
  const preferred = await preferredCharset(path)
  const lines = whatChanged(before, now, preferred)
  if (lines.length > MAX_LINES)
    return `${path} was changed in more than ${MAX_LINES} lines right after this. Read it again before editing it.`
  const { size, mtimeMs } = await stat(path)
  const { charset, eol, view } = readText(now, preferred)
  const seen = movedSeen(entry.seen, readText(before, preferred).view, view)
  const change: ChangeNote = { path, before: note.after, after: sha256 }
  await context.notes.save(CHANGE_NOTE + context.call_id, change)
  const style = { charset: charset.name, eol, bom: charset.bom > 0 }
  recordWritten(context, path, { sha256, size, mtime: mtimeMs, seen, ...style })
  await keepSeen(context, now)
  return `${path} was changed right after this, by a formatter perhaps:\n${lines.join('\n')}`
}

/** The lines that were told are seen, the others move with them. */
function movedSeen(seen: LedgerEntry['seen'], before: string, now: string): LedgerEntry['seen'] {
  const { hunks } = structuredPatch('', '', before, now, '', '', { context: 0 })
  return hunks
    .toReversed()
    .reduce(
      (known, { oldStart, oldLines, newLines }) =>
        shiftSeen(known, oldStart, oldStart + oldLines - 1, newLines),
      seen,
    )
}
