/**
 * Resolves a path for a caller who may see some directories only: links are followed inside of them, and nothing
 * outside is accessed. So an explanation shows no more of the disk than its caller may see.
 */
import { readlinkSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { canonicalPath, isInside, isInsideRoots } from './resolve-path.ts'

const MAX_LINKS = 40

/** As `canonicalPath` inside of `dirs`; from where the path leaves them it stays as written. Never throws. */
export function pathWithin(path: string, dirs: readonly string[], links = 0): string {
  const start = startOf(path, dirs)
  if (start === undefined || links > MAX_LINKS) return path
  let at = start.at
  for (const [i, name] of start.names.entries()) {
    const next = join(at, name)
    const target = linkTarget(next)
    const rest = start.names.slice(i + 1)
    if (target !== undefined) return pathWithin(join(resolve(at, target), ...rest), dirs, links + 1)
    at = next
  }
  return at
}

/** True if the caller may see the result of `pathWithin`. */
export const isWithin = (path: string, dirs: readonly string[]): boolean =>
  dirs.some(dir => isInside(path, canonicalPath(dir)))

/** The directory among `dirs` that holds the path, really, and the names below it. */
function startOf(path: string, dirs: readonly string[]) {
  for (const dir of dirs) {
    const real = canonicalPath(dir)
    const base = [resolve(dir), real].find(one => isInside(path, one))
    if (base === undefined) continue
    return { at: real, names: path.slice(base.length).split(sep).filter(Boolean) }
  }
  return undefined
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** The target of a path, as far as the caller may see. */
export const realPathFor = (path: string, within: readonly string[] | undefined): string =>
  within === undefined ? canonicalPath(path) : pathWithin(path, within)

interface PathBounds {
  readonly roots: readonly string[]
  readonly within?: readonly string[] | undefined
  readonly hidden?: readonly string[] | undefined
}

/** Paths that the caller may not see are judged as written. */
export function isInsideFor(path: string, { roots, within, hidden }: PathBounds): boolean {
  if (within === undefined) return isInsideRoots(path, roots, hidden)
  const reached = pathWithin(path, within)
  if (isWithin(reached, within)) return isInsideRoots(reached, roots, hidden)
  const isHidden = (root: string) =>
    hidden?.some(dir => isInside(reached, dir) && isInside(dir, root)) === true
  return roots.some(root => isInside(reached, root) && !isHidden(root))
}
