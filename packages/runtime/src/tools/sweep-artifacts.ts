/** Removes stored outputs that are old, or too many, and that nothing refers to any more. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface SweepOptions {
  readonly max_age_ms: number
  readonly max_bytes: number
  readonly now: number
  /** A session whose log still exists: its artifacts stay whatever their age. */
  readonly isReferenced: (session_folder: string) => Promise<boolean>
}

/** The folders removed. Oldest first until the rest fits; never one that is referenced. Missing folders count as empty. */
export async function sweepArtifacts(root: string, options: SweepOptions): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => [])
  const folders = await Promise.all(names.map(async name => ({ name, ...(await measure(join(root, name))) })))
  let bytes = folders.reduce((sum, folder) => sum + folder.bytes, 0)
  const removed: string[] = []
  for (const folder of folders.sort((a, b) => a.newest - b.newest)) {
    const old = options.now - folder.newest > options.max_age_ms
    if ((!old && bytes <= options.max_bytes) || (await options.isReferenced(folder.name))) continue
    await rm(join(root, folder.name), { recursive: true, force: true })
    bytes -= folder.bytes
    removed.push(folder.name)
  }
  return removed
}

async function measure(path: string): Promise<{ readonly bytes: number; readonly newest: number }> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const own = await stat(path).then(
    found => found.mtimeMs,
    () => 0,
  )
  const files = await Promise.all(
    entries
      .filter(entry => entry.isFile())
      .map(entry => stat(join(entry.parentPath, entry.name)).catch(() => undefined)),
  )
  return files.reduce(
    (sum, file) =>
      file ? { bytes: sum.bytes + file.size, newest: Math.max(sum.newest, file.mtimeMs) } : sum,
    { bytes: 0, newest: own },
  )
}
