/**
 * Path patterns of rules. A pattern that forbids or asks also names its files by other spellings: through links, by the
 * real path of the workspace, and in another case where the file system ignores it. One that allows names no more than it says.
 */
import { homedir } from 'node:os'
import { isAbsolute, join, normalize } from 'node:path'
import { globMatcher } from '../globs/glob-matcher.ts'
import { isInside } from '../safe-files/real-path.ts'

export interface PathLooks {
  /** Directories that relative patterns start from; several spellings of one are all here. Absolute. */
  readonly workspaces: readonly string[]
  /** Further ones, for patterns that forbid or ask. */
  readonly outer?: readonly string[]
  /** The target of an absolute path after following links. */
  readonly realPath: (path: string) => string
  /** True if names that differ in case alone are one file there. */
  readonly ignoresCase: (path: string) => boolean
}

export interface PathPattern {
  readonly fits: (path: string) => boolean
  /** True if the directory, or something below it, may match. True when in doubt. */
  readonly mayFitBelow: (dir: string) => boolean
}

/** `isBinding` is for rules that forbid or ask. */
export function toPathPattern(content: string, looks: PathLooks, isBinding: boolean): PathPattern {
  const anchors = isBinding ? bindingAnchors(content, looks) : anchorsOf(content, looks)
  const patterns = anchors.map(anchor => toPattern(anchor, isBinding && looks.ignoresCase(anchor.base)))
  return {
    fits: path => patterns.some(one => one.fits(isBinding ? path.normalize() : path)),
    mayFitBelow: dir => patterns.some(one => one.mayFitBelow(dir.normalize())),
  }
}

/** A pattern in two parts: a directory or file without wildcards, and a glob below it, which may be empty. */
interface Anchor {
  readonly base: string
  readonly glob: string
}

function anchorsOf(content: string, { workspaces }: PathLooks): readonly Anchor[] {
  const segments = normalize(toAbsolute(content))
    .replace(/(?<=.)\/$/, '')
    .split('/')
  const at = segments.findIndex(segment => /[*?[\]{}()\\]/.test(segment))
  const end = at === -1 ? segments.length : at
  const head = segments.slice(0, end).join('/')
  const glob = segments.slice(end).join('/')
  if (!isAbsolute(toAbsolute(content))) return workspaces.map(dir => ({ base: join(dir, head), glob }))
  const base = head === '' ? '/' : head
  const named = workspaces.find(dir => isInside(base, dir))
  const bases = named === undefined ? [base] : workspaces.map(dir => join(dir, base.slice(named.length)))
  return bases.map(one => ({ base: one, glob }))
}

/** `~` is the home directory, and `//x` is `/x`. */
function toAbsolute(pattern: string): string {
  if (pattern === '~' || pattern.startsWith('~/')) return homedir() + pattern.slice(1)
  return pattern.replace(/^\/\//, '/')
}

/** Also where links lead, and a name that is spelled like a glob: `[id].ts`. */
function bindingAnchors(content: string, looks: PathLooks): readonly Anchor[] {
  const { workspaces, outer = [] } = looks
  const all = { ...looks, workspaces: [...workspaces, ...outer] }
  const anchors = anchorsOf(content, all).flatMap(({ base, glob }) => [
    { base, glob },
    { base, glob: glob.replaceAll(/[[\](){}]/g, '\\$&') },
  ])
  const reached = anchors.map(({ base, glob }) => ({ base: looks.realPath(base), glob }))
  const spelled = [...anchors, ...reached].map(({ base, glob }) => ({ base: base.normalize(), glob }))
  return [...new Map(spelled.map(one => [`${one.base}\0${one.glob}`, one])).values()]
}

function toPattern(anchor: Anchor, ignoresCase: boolean): PathPattern {
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text)
  const base = fold(anchor.base)
  const glob = fold(anchor.glob)
  // A directory includes everything in it.
  const globs = [glob, `${glob}/**`]
  const isBelow = (path: string): boolean => {
    if (glob === '') return true
    const rest = path.slice(base.endsWith('/') ? base.length : base.length + 1)
    return rest === '' ? glob === '**' : globs.some(one => matcherOf(one)(rest))
  }
  return {
    fits: path => isInside(fold(path), base) && isBelow(fold(path)),
    mayFitBelow: dir => isInside(base, fold(dir)) || isInside(fold(dir), base),
  }
}

/** Rules are the same from call to call, and their globs are slow to compile. */
const matchers = new Map<string, (path: string) => boolean>()
const MAX_MATCHERS = 1_000

function matcherOf(glob: string): (path: string) => boolean {
  const known = matchers.get(glob)
  if (known) return known
  if (matchers.size >= MAX_MATCHERS) matchers.clear()
  const made = globMatcher(glob, { nonegate: true })
  matchers.set(glob, made)
  return made
}
