/** Paths that `.gitignore` and `.ignore` files exclude, as git and ripgrep read them. */
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { readSideFile } from '../files/side-file.ts'

/** The ignore files of one directory. */
export interface IgnoreRules {
  readonly base: string
  readonly ignores: Ignore
}

/** Of a file; what follows is not read. Each line becomes an expression, which is slow to make. */
const MAX_CHARS = 64 * 1024
const MAX_LINES = 2_000

/** The rules of this directory's ignore files; none without any. */
export async function rulesIn(dir: string): Promise<readonly IgnoreRules[]> {
  const texts = await Promise.all(['.gitignore', '.ignore'].map(name => readSideFile(join(dir, name))))
  const lines = texts.flatMap((text = '') => text.slice(0, MAX_CHARS).split('\n', MAX_LINES))
  return lines.every(line => line.trim() === '')
    ? []
    : [{ base: dir, ignores: ignore().add(lines.join('\n')) }]
}

/** Ignore files of parent directories apply too, unless they exclude this one, which the call named. */
export async function outerRules(root: string): Promise<readonly IgnoreRules[]> {
  const rules: IgnoreRules[] = []
  for (let dir = dirname(root); dir !== dirname(dir); dir = dirname(dir))
    rules.unshift(...(await rulesIn(dir)))
  return isIgnored(root, true, rules) ? [] : rules
}

/** The innermost file that says anything about a path decides. */
export function isIgnored(path: string, directory: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { base, ignores } of rules.toReversed()) {
    const result = ignores.test(relative(base, path) + (directory ? '/' : ''))
    if (result.ignored) return true
    if (result.unignored) return false
  }
  return false
}
