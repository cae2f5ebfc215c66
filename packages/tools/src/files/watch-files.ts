/**
 * Tracks the changes of a command to files that the session knows: their contents are kept before it runs and
 * compared afterwards, so that its changes can be undone like those of any other tool. New files in the workspace
 * can be undone too.
 */
import { stat } from 'node:fs/promises'
import type { ToolContext } from '@toolwire/core'
import { LARGEST_WRITTEN, readWhole } from '../safe-files/open-file.ts'
import { findBlob, keepBlob } from './blobs.ts'
import { CHANGE_NOTE, type ChangeNote } from './change-file.ts'
import { entryOf, hashOf, knownFiles } from './ledger.ts'
import { lookAtFiles, newFilesSince } from './new-files.ts'

/** Larger files, and more of them, are not watched: a command must not wait for copies. */
const MAX_FILE = 4 * 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024

interface Before {
  readonly sha256: string
  readonly size: number
  readonly mtime: number
}

export interface FileWatch {
  /** Notes what has changed since the watch began, to be committed with the call. Call it once. */
  readonly finish: () => Promise<readonly ChangeNote[]>
}

/** Never throws: a file that cannot be read, or kept, is not watched. */
export async function watchFiles(context: ToolContext): Promise<FileWatch> {
  const watched = new Map<string, Before>()
  let budget = MAX_BYTES
  for (const path of knownFiles(context)) {
    const before = await keepBefore(path, budget, context).catch(() => undefined)
    if (!before) continue
    watched.set(path, before)
    budget -= before.size
  }
  const there = await lookAtFiles(context)
  return {
    async finish() {
      const changes: ChangeNote[] = []
      for (const [path, before] of watched) {
        const after = await hashNow(path, before).catch(() => before.sha256)
        if (after !== before.sha256) changes.push({ path, before: before.sha256, after })
      }
      if (there) changes.push(...(await newFilesSince(there, context)))
      if (changes.length > 0) context.notes.set(CHANGE_NOTE + context.call_id, changes)
      return changes
    },
  }
}

async function keepBefore(path: string, budget: number, context: ToolContext): Promise<Before | undefined> {
  const found = await stat(path)
  if (!found.isFile() || found.size > Math.min(MAX_FILE, budget)) return undefined
  const facts = { size: found.size, mtime: found.mtimeMs }
  const entry = entryOf(context, path)
  const unchanged = entry?.sha256 !== undefined && entry.size === facts.size && entry.mtime === facts.mtime
  if (unchanged && entry?.sha256 !== undefined && (await findBlob(context, entry.sha256)))
    return { sha256: entry.sha256, ...facts }
  return { sha256: await keepBlob(context, await readWhole(path, MAX_FILE)), ...facts }
}

/** Null when the file is gone. */
async function hashNow(path: string, before: Before): Promise<string | null> {
  const now = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!now) return null
  if (now.size === before.size && now.mtimeMs === before.mtime) return before.sha256
  return hashOf(await readWhole(path, LARGEST_WRITTEN))
}
