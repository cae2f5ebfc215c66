/** Names in the directories of a line, each directory listed once. Judging holds the event loop, so there is a limit on names. */
import { starsIn } from '../../globs/glob-matcher.ts'
import type { DirectoryEntry } from './read-hazards.ts'

export interface Listing {
  /** Nothing once the limit is reached. */
  readonly entries: (dir: string) => readonly DirectoryEntry[]
  /** As `entries`, for names that are compared with this glob. */
  readonly compared: (dir: string, glob: string) => readonly DirectoryEntry[]
  /** Some names were not looked at. */
  readonly isSpent: () => boolean
}

const MAX_NAMES = 20_000

export function createListing(list: (dir: string) => readonly DirectoryEntry[]): Listing {
  const known = new Map<string, readonly DirectoryEntry[]>()
  let left = MAX_NAMES
  const spend = (names: number): boolean => {
    left -= names
    return left >= 0
  }
  function entries(dir: string): readonly DirectoryEntry[] {
    const found = known.get(dir) ?? (left < 0 ? [] : list(dir))
    const isNew = !known.has(dir)
    known.set(dir, found)
    return !isNew || spend(1 + found.length) ? found : []
  }
  return {
    entries,
    compared(dir, glob) {
      const found = entries(dir)
      return spend(found.length * starsIn(glob) ** 2) ? found : []
    },
    isSpent: () => left < 0,
  }
}
