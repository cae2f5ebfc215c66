/** Checks that an existing file may be changed: it was seen, and is unchanged since. */
import type { ToolContext, ToolProblem } from '@toolwire/core'
import { offload } from '../offload/offload.ts'
import { readWhole, WHOLE_FILE } from '../safe-files/open-file.ts'
import { findBlob } from './blobs.ts'
import { preferredCharset } from './editorconfig.ts'
import { MAX_SHOWN_LINES } from './file-limits.ts'
import { entryOf, isStale, type LedgerEntry } from './ledger.ts'

export type Writable =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly entry: LedgerEntry }
  | { readonly ok: false; readonly problem: ToolProblem }

const no = (code: string, message: string): Writable => ({ ok: false, problem: { code, message } })

/** `file` exists and is regular. Reads it whole. */
export async function checkWritable(
  file: { readonly path: string; readonly size: number },
  context: ToolContext,
): Promise<Writable> {
  const entry = entryOf(context, file.path)
  if (!entry) return no('not_read', 'File has not been read yet. Read it first before writing to it.')
  if (file.size > WHOLE_FILE)
    return no(
      'too_large',
      `${file.path} has ${file.size} bytes; files beyond ${WHOLE_FILE} bytes are not edited.`,
    )
  const bytes = await readWhole(file.path)
  if (!(await isStale(entry, file.path, bytes))) return { ok: true, bytes, entry }
  return no('stale', `${STALE}${await describeChanges(file.path, entry, bytes, context)}`)
}

const STALE =
  'File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.'

async function describeChanges(
  path: string,
  entry: LedgerEntry,
  now: Uint8Array,
  context: ToolContext,
): Promise<string> {
  const before = entry.sha256 === undefined ? undefined : await findBlob(context, entry.sha256)
  if (!before) return ''
  const lines = await offload('whatChanged', [before, now, await preferredCharset(path)]).catch(
    () => undefined,
  )
  if (!lines) return ''
  const more = lines.length > MAX_SHOWN_LINES ? [`… ${lines.length - MAX_SHOWN_LINES} more lines`] : []
  return `\nWhat changed:\n${[...lines.slice(0, MAX_SHOWN_LINES), ...more].join('\n')}`
}
