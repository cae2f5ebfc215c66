/**
 * Globs of models, projects and rules against names of files, both of which strangers choose. A glob becomes an expression,
 * and with some stars one long name would keep it busy for ever; so where that can happen, the glob is walked instead.
 */
import picomatch from 'picomatch'
import { parseGlob } from './parse-glob.ts'
import { toStates, walkGlob } from './walk-glob.ts'

export interface GlobOptions {
  /** A `!` at the beginning is a character like others. */
  readonly nonegate?: boolean
}

/** Longer globs, and those with more wildcards, fit themselves alone. */
const MAX_GLOB = 1024
const MAX_STARS = 64
/** Steps that an expression may take at most: a millisecond where the glob can be walked, and some of them elsewhere. */
const MAX_STEPS = { walkable: 20_000, other: 1_000_000 }
/** Such a row at the end of a glob, with a wildcard before it, keeps picomatch reading for ever. */
const BACKSLASHES = /\\{3}/

/** Names with a dot in front are names like others. */
export function globMatcher(glob: string, { nonegate = false }: GlobOptions = {}): (path: string) => boolean {
  if (glob.length > MAX_GLOB || starsIn(glob) > MAX_STARS) return path => path === glob
  const byExpression = BACKSLASHES.test(glob) ? undefined : picomatch(glob, { dot: true, nonegate })
  const isNegated = !nonegate && glob.startsWith('!') && !glob.startsWith('!(')
  const plain = (isNegated ? glob.slice(1) : glob).replace(/^\.\//, '')
  const steps = parseGlob(plain)
  const states = steps && toStates(steps)
  const stepsFor = countSteps(glob)
  const most = states ? MAX_STEPS.walkable : MAX_STEPS.other
  return path => {
    if (byExpression && stepsFor(path.length) <= most) return byExpression(path)
    // A glob that cannot be judged in bounded time matches itself alone.
    return states ? walkGlob(states, path) !== isNegated : path === glob
  }
}

/** The number of wildcards that match any number of characters. */
export const starsIn = (glob: string): number => glob.match(/[*+]|!\(/g)?.length ?? 0

/** In how many ways an expression can share a path of some length among the stars and alternatives of the glob. */
function countSteps(glob: string): (length: number) => number {
  // A group that repeats may hold what repeats as well.
  if (/[*+]\(|\)[*+?{]/.test(glob)) return () => Number.POSITIVE_INFINITY
  const stars = starsIn(glob)
  const ways = 2 ** (glob.match(/[,|]|\?\(/g)?.length ?? 0)
  return length => {
    let steps = ways
    for (let n = 0; n < stars && steps <= MAX_STEPS.other; n++) steps *= (length + n + 1) / (n + 1)
    return steps
  }
}
