/** Paths that rules keep from calls, whatever the tool: by name, and by a directory that may hold them. */
import { type PathLooks, toPathPattern } from './path-pattern.ts'
import type { Rule } from './rules.ts'

export interface PathGuard {
  /** The strongest rule that names the path, as it is written or where it leads; absolute. */
  readonly ruleFor: (path: string) => Rule | undefined
  /** A rule that may name the directory or something below it. Returns one when in doubt. */
  readonly ruleBelow: (dir: string) => Rule | undefined
  /** Represents all of them where a call cannot be judged. */
  readonly rule: Rule
}

/** For rules that deny or ask about paths; undefined if there is no such item. */
export function createPathGuard(rules: readonly Rule[], looks: PathLooks): PathGuard | undefined {
  const binding = rules
    .filter(rule => rule.decision !== 'allow' && rule.content !== undefined)
    .toSorted((one, other) => Number(other.decision === 'deny') - Number(one.decision === 'deny'))
  const [first] = binding
  if (!first) return undefined
  const patterns = binding.map(rule => ({ rule, ...toPathPattern(rule.content ?? '', looks, true) }))
  const find = (test: (one: (typeof patterns)[number]) => boolean): Rule | undefined =>
    patterns.find(test)?.rule
  return {
    ruleFor(path) {
      const named = find(one => one.fits(path))
      if (named?.decision === 'deny') return named
      const real = looks.realPath(path)
      const reached = real === path ? undefined : find(one => one.fits(real))
      return reached?.decision === 'deny' ? reached : (named ?? reached)
    },
    ruleBelow(dir) {
      const real = looks.realPath(dir)
      return find(one => one.mayFitBelow(dir) || one.mayFitBelow(real))
    },
    rule: first,
  }
}
