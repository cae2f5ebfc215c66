/** Limits how many paths of a line are looked up on disk: judging holds the event loop, and strangers write lines. */

export interface LookBudget {
  /** Calls `look` once per path. Returns `otherwise` when the budget is spent. */
  readonly remember: <T>(look: (path: string) => T, otherwise: T) => (path: string) => T
  readonly isSpent: () => boolean
}

/** Each directory beyond this depth counts as a further path: every one of them is looked at. */
const DEPTH = 12

export function createLookBudget(looks: number): LookBudget {
  let left = looks
  return {
    remember(look, otherwise) {
      const known = new Map<string, { readonly result: typeof otherwise }>()
      return path => {
        const found = known.get(path)
        if (found) return found.result
        left -= 1 + Math.max(0, path.split('/').length - DEPTH)
        const result = left >= 0 ? look(path) : otherwise
        known.set(path, { result })
        return result
      }
    },
    isSpent: () => left < 0,
  }
}
