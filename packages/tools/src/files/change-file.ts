/**
 * The one way tools change files: keeps what was there for undo, says durably what it is about
 * to do, replaces the content as one step, and brings the ledger up to date.
 */
import { stat } from 'node:fs/promises'
import type { Recovery, ToolContext, ToolProblem } from '@toolwire/core'
import { ChangedError } from '../safe-files/changed-error.ts'
import { LARGEST_WRITTEN, readWhole } from '../safe-files/open-file.ts'
import { placeProblem } from './approved-path.ts'
import { atomicWrite } from './atomic-write.ts'
import { keepBlob, keepSeen } from './blobs.ts'
import { reasonOf, toCode } from './inspect-path.ts'
import { hashOf, type LedgerEntry, recordWritten } from './ledger.ts'

export interface FileChange {
  readonly path: string
  /** Undefined for a new file. */
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array
  readonly seen: LedgerEntry['seen']
  readonly charset: string
  readonly eol: string
  readonly bom: boolean
}

/** The facts of a change for undo and recovery. */
export interface ChangeNote {
  readonly path: string
  /** Hashes of the contents; null for no file. */
  readonly before: string | null
  readonly after: string | null
}

/** The note of a call holds its change, or a list where it changed several files. */
export const CHANGE_NOTE = 'change:'

/** A problem when nothing was changed; undefined when the file has its new content. */
export async function changeFile(change: FileChange, context: ToolContext): Promise<ToolProblem | undefined> {
  const { path, before, after } = change
  const moved = await placeProblem(context, path)
  if (moved) return moved
  const sha256 = hashOf(after)
  const note: ChangeNote = { path, before: before ? hashOf(before) : null, after: sha256 }
  try {
    if (before) await keepBlob(context, before)
    const beforeCommit = async (): Promise<void> => {
      await context.notes.save(CHANGE_NOTE + context.call_id, note)
      const late = await placeProblem(context, path)
      if (late) throw new ChangedError('its directory was replaced')
    }
    await atomicWrite({ path, bytes: after, expect: note.before, beforeCommit })
  } catch (error) {
    return toProblem(error, path)
  }
  const { size, mtimeMs } = await stat(path)
  const { seen, charset, eol, bom } = change
  recordWritten(context, path, { sha256, size, mtime: mtimeMs, seen, charset, eol, bom })
  await keepSeen(context, after)
  return undefined
}

function toProblem(error: unknown, path: string): ToolProblem {
  if (error instanceof ChangedError)
    return {
      code: 'stale',
      retryable: true,
      message: `${path} was not written: ${error.message} while this was prepared. Read it again.`,
    }
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return { message: error instanceof Error ? error.message : String(error) }
  return { code: toCode(code), message: `${path} was not written: ${reasonOf(code)}.` }
}

/** After a crash the content itself shows if the change took place. */
export async function recoverChange(context: ToolContext, text: (path: string) => string): Promise<Recovery> {
  const note = context.notes.get(CHANGE_NOTE + context.call_id) as ChangeNote | undefined
  // The note is written before the change: without it nothing was changed.
  if (!note) return { type: 'not_done' }
  const now = await readWhole(note.path, LARGEST_WRITTEN).then(hashOf, () => null)
  if (now === note.after) return { type: 'done', output_text: text(note.path) }
  if (now === note.before) return { type: 'not_done' }
  return {
    type: 'unknown',
    message: `The server stopped while ${note.path} was being written, and it has changed since. Read it before you continue.`,
  }
}
