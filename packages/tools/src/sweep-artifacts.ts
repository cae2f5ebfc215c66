/** Removes stored outputs that are old, or too many, and that nothing refers to any more. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { WORKTREES } from './disk-quota.ts'
import { isInside } from './safe-files/real-path.ts'

export interface SweepOptions {
  readonly max_age_ms: number
  readonly max_bytes: number
  readonly now: number
  /** A session whose log still exists: its artifacts stay whatever their age. */
  readonly isReferenced: (session_folder: string) => Promise<boolean>
  /** Gets the size of every folder that stays, without its worktrees. */
  readonly onKept?: (session_folder: string, bytes: number) => Promise<void>
}

/** The folders removed. Oldest first until the rest fits; never one that is referenced. Missing folders count as empty. */
export async function sweepArtifacts(root: string, options: SweepOptions): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => [])
  const folders = await Promise.all(names.map(async name => ({ name, ...(await measure(join(root, name))) })))
  let bytes = folders.reduce((sum, folder) => sum + folder.bytes, 0)
  const removed: string[] = []
  for (const folder of folders.sort((a, b) => a.newest - b.newest)) {
    const old = options.now - folder.newest > options.max_age_ms
    if ((!old && bytes <= options.max_bytes) || (await options.isReferenced(folder.name))) {
      await options.onKept?.(folder.name, folder.stored)
      continue
    }
    await rm(join(root, folder.name), { recursive: true, force: true })
    bytes -= folder.bytes
    removed.push(folder.name)
  }
  return removed
}

interface FolderSize {
  readonly bytes: number
  /** Bytes outside of worktrees. */
  readonly stored: number
  readonly newest: number
}

async function measure(path: string): Promise<FolderSize> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const own = await stat(path).then(
    found => found.mtimeMs,
    () => 0,
  )
  const worktrees = join(path, WORKTREES)
  const files = await Promise.all(
    entries
      .filter(entry => entry.isFile())
      .map(async entry => {
        const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
        return { found, isStored: !isInside(entry.parentPath, worktrees) }
      }),
  )
  let [bytes, stored, newest] = [0, 0, own]
  for (const { found, isStored } of files) {
    bytes += found?.size ?? 0
    if (isStored) stored += found?.size ?? 0
    newest = Math.max(newest, found?.mtimeMs ?? 0)
  }
  return { bytes, stored, newest }
}
