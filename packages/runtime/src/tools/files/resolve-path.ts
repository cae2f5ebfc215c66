/** Paths as models write them, made absolute, and where they really lead. */
import { readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** Absolute, `~` expanded, a leading `@` stripped. Pure. NUL bytes stay and are refused by `pathProblem`. */
export function resolvePath(path: string, cwd: string): string {
  const bare = path.startsWith('@') ? path.slice(1) : path
  const home = bare === '~' || bare.startsWith('~/') ? join(homedir(), bare.slice(1)) : bare
  return isAbsolute(home) ? resolve(home) : resolve(cwd, home)
}

/** Why a text cannot be a path; undefined when it can. Nothing is touched. */
export function pathProblem(path: string, platform: string = process.platform): PathProblem | undefined {
  // Merely looking at one makes Windows log in to the server it names.
  if (platform === 'win32' && /^[\\/]{2}/.test(path)) return bad('Network paths are not used.')
  if (path === '') return bad('The path is empty.')
  if (path.includes('\0')) return bad('The path holds a NUL byte.')
  if (Buffer.byteLength(path) > 4096) return tooLong('The path is longer than 4096 bytes.')
  if (Buffer.byteLength(basename(path)) > 255) return tooLong('The file name is longer than 255 bytes.')
  return undefined
}

interface PathProblem {
  readonly code: 'bad_path' | 'name_too_long'
  readonly message: string
}
const bad = (message: string): PathProblem => ({ code: 'bad_path', message })
const tooLong = (message: string): PathProblem => ({ code: 'name_too_long', message })

const MAX_LINKS = 40

/**
 * Follows every link of the deepest ancestor that exists; what does not exist yet is kept as
 * written. A link that leads to nothing counts as the place it leads to. Never throws: a path
 * that cannot be examined is its own answer.
 */
export function canonicalPath(path: string, links = 0): string {
  const rest: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...rest)
    } catch {
      const target = links < MAX_LINKS ? linkAt(at) : undefined
      if (target !== undefined) return canonicalPath(join(target, ...rest), links + 1)
      const up = dirname(at)
      if (up === at) return path
      rest.unshift(basename(at))
    }
  }
}

/** Where the link at this path leads, absolute; undefined when it is none. */
function linkAt(path: string): string | undefined {
  try {
    return resolve(realpathSync(dirname(path)), readlinkSync(path))
  } catch {
    return undefined
  }
}

/** By path segments, never by string prefix: `/a/bc` is not inside `/a/b`. */
export function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep)
}

/**
 * Inside any of the roots after following links on both sides. What is in a hidden directory counts as
 * outside of the roots around that directory; a root inside of a hidden directory is one all the same.
 */
export const isInsideRoots = (
  path: string,
  roots: readonly string[],
  hidden: readonly string[] = [],
): boolean => {
  const real = canonicalPath(path)
  const around = hidden.map(dir => canonicalPath(dir)).filter(dir => isInside(real, dir))
  return roots.some(one => {
    const root = canonicalPath(one)
    return isInside(real, root) && !around.some(dir => isInside(dir, root))
  })
}
