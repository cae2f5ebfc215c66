/** Resolves links in paths, and checks if one path is inside another. */
import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

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

/** The absolute target of the link at this path; undefined if it is no link. */
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
