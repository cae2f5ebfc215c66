/**
 * Previews that are stored in the preview files and perhaps not yet in the database, per session and in
 * order: always the end of the session's log. It may hold what is settled already, never miss what is not,
 * so a reader that looks into both sees no gap.
 */
import type { Seq } from '@toolwire/core'
import type { RecentEntry } from './recent.ts'

export interface UnflushedPreviews {
  /** The entries of one session; none when it has none. */
  readonly of: (id: string) => readonly RecentEntry[]
  /** Seq of the last entry. */
  readonly headOf: (id: string) => Seq | undefined
  readonly add: (id: string, entry: RecentEntry) => void
  /** A snapshot of all entries. */
  readonly all: () => readonly (readonly [id: string, entries: readonly RecentEntry[]])[]
  /** Drops entries up to `upTo`, which the database holds. */
  readonly settle: (id: string, upTo: Seq) => void
  readonly drop: (id: string) => void
  /** Characters of JSON. */
  readonly size: () => number
}

const NONE: readonly RecentEntry[] = []
const endOf = ({ seq, n }: RecentEntry): Seq => seq + n - 1

export function createUnsettled(): UnflushedPreviews {
  const bySession = new Map<string, RecentEntry[]>()
  let size = 0
  const sizeOf = (entries: readonly RecentEntry[]): number =>
    entries.reduce((sum, { json }) => sum + json.length, 0)

  function keep(id: string, entries: RecentEntry[]): void {
    size += sizeOf(entries) - sizeOf(bySession.get(id) ?? NONE)
    if (entries.length > 0) bySession.set(id, entries)
    else bySession.delete(id)
  }
  return {
    of: id => bySession.get(id) ?? NONE,
    headOf(id) {
      const last = bySession.get(id)?.at(-1)
      return last && endOf(last)
    },
    add(id, entry) {
      const entries = bySession.get(id)
      if (entries) entries.push(entry)
      else bySession.set(id, [entry])
      size += entry.json.length
    },
    all: () => [...bySession].map(([id, entries]) => [id, [...entries]] as const),
    settle(id, upTo) {
      const entries = bySession.get(id)
      if (entries)
        keep(
          id,
          entries.filter(entry => endOf(entry) > upTo),
        )
    },
    drop: id => keep(id, []),
    size: () => size,
  }
}
