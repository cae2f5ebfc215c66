/** Files by time of change, newest first; equal times by name. Files that are gone by now sort last. */
import { stat } from 'node:fs/promises'

const AT_ONCE = 64

export async function newestFirst(paths: readonly string[]): Promise<readonly string[]> {
  const times = new Map<string, number>()
  let at = 0
  const work = async (): Promise<void> => {
    for (let path = paths[at++]; path !== undefined; path = paths[at++])
      times.set(
        path,
        await stat(path).then(
          found => found.mtimeMs,
          () => 0,
        ),
      )
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return [...paths].sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1))
}
