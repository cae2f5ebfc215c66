/** Previews that one session wrote in many flushes become one row, so that the index is touched once. */
import type { RecentEntry } from './recent.ts'

/** Bounds of a row that several become. */
const MAX_EVENTS = 1000
const MAX_CHARACTERS = 500_000

/** Entries that follow on each other within one epoch become one, within bounds; `w` is that of the last. */
export function joinEntries<Entry extends RecentEntry>(entries: readonly Entry[]): readonly Entry[] {
  const joined: Entry[] = []
  let group: Entry[] = []
  let events = 0
  let characters = 0
  for (const entry of entries) {
    const last = group.at(-1)
    const isFull = events + entry.n > MAX_EVENTS || characters + entry.json.length > MAX_CHARACTERS
    if (last && (isFull || last.seq + last.n !== entry.seq || last.epoch !== entry.epoch)) {
      joined.push(...toOne(group))
      group = []
      events = 0
      characters = 0
    }
    group.push(entry)
    events += entry.n
    characters += entry.json.length
  }
  return [...joined, ...toOne(group)]
}

function toOne<Entry extends RecentEntry>(group: readonly Entry[]): readonly Entry[] {
  const [first] = group
  const last = group.at(-1)
  if (!first || !last || group.length === 1) return group
  const json = `[${group.map(entry => entry.json.slice(1, -1)).join(',')}]`
  return [{ ...first, n: last.seq + last.n - first.seq, w: last.w, json }]
}
