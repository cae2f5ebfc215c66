/**
 * Globs of models, projects and rules against names of files, both of which strangers choose. A glob becomes an expression,
 * and with some stars one long name would keep it busy for ever; so where that can happen, the glob is walked instead.
 */
import picomatch from 'picomatch'
import { parseGlob } from './parse-glob.ts'
import { walkGlob } from './walk-glob.ts'

export interface GlobOptions {
  /** A `!` at the beginning is a character like others. */
  readonly nonegate?: boolean
}

/** Steps that an expression may take at most: some milliseconds, or a moment where there is no other way. */
const MAX_STEPS = { walkable: 100_000, other: 50_000_000 }

/** Names with a dot in front are names like others. */
export function globMatcher(glob: string, { nonegate = false }: GlobOptions = {}): (path: string) => boolean {
  const byExpression = picomatch(glob, { dot: true, nonegate })
  const loose = glob.match(/[*+]/g)?.length ?? 0
  const isNegated = !nonegate && glob.startsWith('!') && !glob.startsWith('!(')
  const plain = (isNegated ? glob.slice(1) : glob).replace(/^\.\//, '')
  const steps = parseGlob(plain)
  const most = steps ? MAX_STEPS.walkable : MAX_STEPS.other
  return path => {
    if (stepsFor(path.length, loose) <= most) return byExpression(path)
    // What cannot be judged in any time fits itself alone.
    return steps ? walkGlob(steps, path) !== isNegated : path === glob
  }
}

/** In how many ways so many stars can share a path of this length. */
function stepsFor(length: number, stars: number): number {
  let steps = 1
  for (let n = 0; n < stars && steps <= MAX_STEPS.other; n++) steps *= (length + n + 1) / (n + 1)
  return steps
}
