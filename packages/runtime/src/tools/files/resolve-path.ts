/** Paths as models write them, made absolute, and where they really lead. */
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** Absolute, `~` expanded, a leading `@` stripped. Pure. NUL bytes stay and are refused by `pathProblem`. */
export function resolvePath(path: string, cwd: string): string {
  const bare = path.startsWith('@') ? path.slice(1) : path
  const home = bare === '~' || bare.startsWith('~/') ? join(homedir(), bare.slice(1)) : bare
  return isAbsolute(home) ? resolve(home) : resolve(cwd, home)
}

/** Why a text cannot be a path; undefined when it can. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'The path is empty.'
  if (path.includes('\0')) return 'The path holds a NUL byte.'
  if (Buffer.byteLength(path) > 4096) return 'The path is longer than 4096 bytes.'
  if (Buffer.byteLength(basename(path)) > 255) return 'The file name is longer than 255 bytes.'
  return undefined
}

/**
 * Follows every link of the deepest ancestor that exists; what does not exist yet is kept as
 * written. Never throws: a path that cannot be examined is its own answer.
 */
export function canonicalPath(path: string): string {
  const rest: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...rest)
    } catch {
      const up = dirname(at)
      if (up === at) return path
      rest.unshift(basename(at))
    }
  }
}

/** By path segments, never by string prefix: `/a/bc` is not inside `/a/b`. */
export function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep)
}

/** Inside any of the roots after following links on both sides. */
export const isInsideRoots = (path: string, roots: readonly string[]): boolean => {
  const real = canonicalPath(path)
  return roots.some(root => isInside(real, canonicalPath(root)))
}
