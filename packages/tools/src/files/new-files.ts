/**
 * Files that are made in a workspace between two looks at it. Ignored files are passed over, and a
 * workspace that takes too long to look through is not watched at all: a command must not wait for it.
 */
import { stat } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { readWhole } from '../safe-files/open-file.ts'
import { listFiles } from '../search/list-files.ts'
import { findRipgrep } from '../search/ripgrep.ts'
import type { ChangeNote } from './change-file.ts'
import { hashOf } from './ledger.ts'
import { canonicalPath } from './resolve-path.ts'

const LOOK_MS = 1_000
const MAX_LISTED = 50_000
/** More of them, or larger ones, are the work of an installer, which is taken back by its own means. */
const MAX_NEW = 500
const MAX_FILE = 4 * 1024 * 1024

/** The clock that stamps files runs a little behind. */
const CLOCK_MS = 50

interface FilesLook {
  readonly at: number
  readonly paths: ReadonlySet<string>
}

/** The current files; undefined if they cannot be listed in time. Never throws. */
export async function lookAtFiles(context: ToolContext): Promise<FilesLook | undefined> {
  const [workspace] = context.roots
  if (workspace === undefined) return undefined
  const root = canonicalPath(workspace)
  const at = Date.now() - CLOCK_MS
  try {
    const ripgrep = await findRipgrep({}, root)
    if (!ripgrep) return undefined
    const { paths, timed_out, problem, note } = await listFiles(ripgrep, {
      root,
      pattern: '**',
      no_ignore: false,
      hidden: [...(context.hidden ?? []), context.artifacts],
      signal: context.signal,
      timeout_ms: LOOK_MS,
    })
    const isWhole = !timed_out && problem === undefined && note === undefined && !context.signal.aborted
    return isWhole && paths.length <= MAX_LISTED ? { at, paths: new Set(paths) } : undefined
  } catch {
    return undefined
  }
}

/** Those that were not there before, with what is in them. Nothing when there are too many. Never throws. */
export async function newFilesSince(before: FilesLook, context: ToolContext): Promise<readonly ChangeNote[]> {
  // The command is over; that it was stopped does not make its files unknown.
  const now = await lookAtFiles({ ...context, signal: new AbortController().signal })
  const fresh = [...(now?.paths ?? [])].filter(path => !before.paths.has(path))
  if (fresh.length > MAX_NEW) return []
  const notes = await Promise.all(fresh.map(path => toNote(path, before.at)))
  return notes.flat()
}

/** A file that is older than the look was moved here, or was ignored before: it was not made, and must not be removed. */
async function toNote(path: string, since: number): Promise<readonly ChangeNote[]> {
  try {
    const found = await stat(path)
    if (!found.isFile() || found.size > MAX_FILE || found.birthtimeMs < since) return []
    return [{ path, before: null, after: hashOf(await readWhole(path, MAX_FILE)) }]
  } catch {
    return []
  }
}
