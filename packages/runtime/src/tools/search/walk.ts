/** All files below a directory, as ripgrep lists them: hidden ones too, ignored ones not, links not followed. */
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'

export const VCS_DIRECTORIES = ['.git', '.svn', '.hg', '.bzr', '.jj']

interface Rules {
  readonly base: string
  readonly ignores: Ignore
}

export interface WalkOptions {
  /** Ignored files too. */
  readonly no_ignore: boolean
  readonly signal: AbortSignal
  /** Directories that are not looked into, unless the root is inside of one; absolute. */
  readonly hidden?: readonly string[]
}

/** Absolute paths, in no particular order. */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<string> {
  const stack = [{ dir: root, outer: options.no_ignore ? [] : await outerRules(root) }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (options.signal.aborted) return
    const rules = options.no_ignore ? [] : [...next.outer, ...(await rulesIn(next.dir))]
    for (const entry of await entriesOf(next.dir, rules, options.hidden)) {
      const path = join(next.dir, entry.name)
      if (entry.isDirectory()) stack.push({ dir: path, outer: rules })
      else if (entry.isFile()) yield path
    }
  }
}

async function entriesOf(
  dir: string,
  rules: readonly Rules[],
  hidden: readonly string[] = [],
): Promise<readonly Dirent[]> {
  const entries: readonly Dirent[] = await readdir(dir, { withFileTypes: true }).catch(() => [])
  return entries.filter(
    entry =>
      !VCS_DIRECTORIES.includes(entry.name) &&
      !hidden.includes(join(dir, entry.name)) &&
      !isIgnored(join(dir, entry.name), entry.isDirectory(), rules),
  )
}

async function rulesIn(dir: string): Promise<readonly Rules[]> {
  const texts = await Promise.all(
    ['.gitignore', '.ignore'].map(name => readFile(join(dir, name), 'utf8').catch(() => '')),
  )
  const text = texts.join('\n')
  return text.trim() === '' ? [] : [{ base: dir, ignores: ignore().add(text) }]
}

/** Ignore files of the directories above count too. */
async function outerRules(root: string): Promise<readonly Rules[]> {
  const rules: Rules[] = []
  for (let dir = dirname(root); dir !== dirname(dir); dir = dirname(dir))
    rules.unshift(...(await rulesIn(dir)))
  return rules
}

/** The innermost file that says anything about a path decides. */
function isIgnored(path: string, directory: boolean, rules: readonly Rules[]): boolean {
  for (const { base, ignores } of rules.toReversed()) {
    const result = ignores.test(relative(base, path) + (directory ? '/' : ''))
    if (result.ignored) return true
    if (result.unignored) return false
  }
  return false
}
