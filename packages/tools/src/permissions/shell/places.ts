/**
 * The directories that a line may be in, and where a path leads from them. A `cd` in a branch or a subshell
 * may or may not have happened, so every directory counts. Each is kept by name and by real path: `cd ..`
 * goes by the name, and a program that is given `..` goes by the real path.
 */
import { resolve } from 'node:path'
import { createLookBudget } from './look-budget.ts'
import { climbsFromName, expandHome } from './path-words.ts'

export interface PlaceLooks {
  readonly cwd: string
  readonly home: string
  /** True if a path, after following links, stays inside the directories that need no question. */
  readonly isInside: (path: string) => boolean
  /** The target of an absolute path after following links. */
  readonly realPath: (path: string) => string
}

export interface Places {
  /** Every absolute path that a path, as written in the line, may mean. */
  readonly locate: (path: string) => readonly string[]
  /** True if a path, as written in the line, leads inside from every current directory. */
  readonly isInside: (path: string) => boolean
  /** True if an absolute path leads inside. */
  readonly contains: (path: string) => boolean
  /** More paths were asked about than are looked up; each further one counts as outside. */
  readonly isSpent: () => boolean
  /** Adds where a `cd` leads. Returns why the line asks; undefined when it need not. */
  readonly enter: (path: string) => string | undefined
}

const MAX_PLACES = 64
const MAX_LOOKS = 200

export function createPlaces({ cwd, home, isInside, realPath }: PlaceLooks): Places {
  const all = [...new Set([cwd, realPath(cwd)])]
  const budget = createLookBudget(MAX_LOOKS)
  const contains = budget.remember(isInside, false)
  const lead = budget.remember(realPath, cwd)
  const locate = (path: string): readonly string[] => {
    const full = expandHome(path, home) ?? path
    return all.map(place => resolve(place, full))
  }
  const stays = (path: string): boolean =>
    expandHome(path, home) !== undefined && !climbsFromName(path) && locate(path).every(contains)
  return {
    locate,
    isInside: stays,
    contains,
    isSpent: budget.isSpent,
    enter(path) {
      // Every `cd` can double them.
      if (all.length > MAX_PLACES) return 'it may be in too many directories'
      if (!stays(path)) return `it leaves the workspace: cd ${path}`
      const entered = locate(path)
      const reached = entered.map(lead)
      if (budget.isSpent()) return 'it may be in too many directories'
      for (const place of new Set([...entered, ...reached])) if (!all.includes(place)) all.push(place)
      return undefined
    },
  }
}
