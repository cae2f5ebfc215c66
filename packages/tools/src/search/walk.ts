/** All files below a directory, as ripgrep lists them: hidden ones too, ignored ones not, links not followed. */
import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { listDirectory } from '../safe-files/held-directory.ts'
import { filterOften } from '../yield-often.ts'
import { type IgnoreRules, isIgnored, outerRules, rulesIn } from './ignore-rules.ts'

export const VCS_DIRECTORIES = ['.git', '.svn', '.hg', '.bzr', '.jj']

export interface WalkOptions {
  /** Ignored files too. */
  readonly no_ignore: boolean
  readonly signal: AbortSignal
  /** Directories that are not looked into, unless the root is inside of one; absolute. */
  readonly hidden?: readonly string[]
  /** Called for each directory that cannot be read, with the reason; what is below it is left out. */
  readonly onUnread?: (problem: string) => void
}

/** Absolute paths, in no particular order. */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<string> {
  const stack = [{ dir: root, outer: options.no_ignore ? [] : await outerRules(root) }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (options.signal.aborted) return
    const rules = options.no_ignore ? [] : [...next.outer, ...(await rulesIn(next.dir))]
    for (const entry of await entriesOf(next.dir, rules, options)) {
      const path = join(next.dir, entry.name)
      if (entry.isDirectory()) stack.push({ dir: path, outer: rules })
      else if (entry.isFile()) yield path
    }
  }
}

async function entriesOf(
  dir: string,
  rules: readonly IgnoreRules[],
  { hidden = [], onUnread }: WalkOptions,
): Promise<readonly Dirent[]> {
  const entries: readonly Dirent[] = await listDirectory(dir).catch(
    ({ code, message }: NodeJS.ErrnoException) => {
      // Removed meanwhile.
      if (code !== 'ENOENT') onUnread?.(`${dir}: ${code ?? message}`)
      return []
    },
  )
  return await filterOften(
    entries,
    entry =>
      !VCS_DIRECTORIES.includes(entry.name) &&
      !hidden.includes(join(dir, entry.name)) &&
      !isIgnored(join(dir, entry.name), entry.isDirectory(), rules),
  )
}
