/** Previews that one session wrote in many flushes become one row, so that the index is touched once. */
import type { RecentEntry } from './recent.ts'

/** Entries that follow on each other within one epoch become one; `w` is that of the last. */
export function joinEntries(entries: readonly RecentEntry[]): readonly RecentEntry[] {
  const joined: RecentEntry[] = []
  let group: RecentEntry[] = []
  for (const entry of entries) {
    const last = group.at(-1)
    if (last && (last.seq + last.n !== entry.seq || last.epoch !== entry.epoch)) {
      joined.push(toOne(group))
      group = []
    }
    group.push(entry)
  }
  if (group.length > 0) joined.push(toOne(group))
  return joined
}

function toOne(group: readonly RecentEntry[]): RecentEntry {
  const [first] = group
  const last = group.at(-1)
  if (!first || !last || group.length === 1) return first ?? NONE
  const json = `[${group.map(entry => entry.json.slice(1, -1)).join(',')}]`
  return { ...first, n: last.seq + last.n - first.seq, w: last.w, json }
}

const NONE: RecentEntry = { session: 0, seq: 0, n: 0, epoch: 0, w: 0, json: '[]' }
