/**
 * A formatter that runs right after a call has written a file changes it once more. That becomes part of the call:
 * the model gets the change and need not read the file again, and undo reverts both.
 */
import { stat } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { offload } from '../offload/offload.ts'
import { LARGEST_WRITTEN, readWhole } from '../safe-files/open-file.ts'
import { findBlob, keepSeen } from './blobs.ts'
import { CHANGE_NOTE, type ChangeNote } from './change-file.ts'
import { preferredCharset } from './editorconfig.ts'
import { MAX_SHOWN_LINES } from './file-limits.ts'
import { entryOf, hashOf, recordWritten } from './ledger.ts'

/**
 * The change that another program made to the file that this call wrote, as text for the model; undefined without
 * one. A change too large to be shown is not adopted: then the file has to be read again. Idempotent.
 */
export async function adoptChange(context: ToolContext): Promise<string | undefined> {
  const note = context.notes.get(CHANGE_NOTE + context.call_id) as ChangeNote | undefined
  const entry = note && entryOf(context, note.path)
  if (!note?.after || entry?.sha256 !== note.after) return undefined
  const { path } = note
  const now = await readWhole(path, LARGEST_WRITTEN).catch(() => undefined)
  const sha256 = now && hashOf(now)
  if (!now || !sha256 || sha256 === note.after) return undefined
  const before = await findBlob(context, note.after)
  if (!before) return undefined
  const preferred = await preferredCharset(path)
  const adopted = await offload('takeOverChange', [before, now, entry.seen, preferred]).catch(() => undefined)
  if (!adopted)
    return `${path} was changed in more than ${MAX_SHOWN_LINES} lines right after this. Read it again before editing it.`
  const { size, mtimeMs } = await stat(path)
  const { lines, seen, style } = adopted
  const change: ChangeNote = { path, before: note.after, after: sha256 }
  await context.notes.save(CHANGE_NOTE + context.call_id, change)
  recordWritten(context, path, { sha256, size, mtime: mtimeMs, seen, ...style })
  await keepSeen(context, now)
  return `${path} was changed right after this, by a formatter perhaps:\n${lines.join('\n')}`
}
