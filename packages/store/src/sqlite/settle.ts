/**
 * Settling: previews leave `recent` for `chunk`, where they are found by session and seq. What
 * one session wrote in many flushes becomes one row, so the index is touched once instead of often.
 */
import type { DatabaseSync } from 'node:sqlite'
import { decodeRecent, type RecentEntry } from './recent.ts'

export interface Settler {
  /** Moves everything, and drops what belongs to `removed`. Must run inside a transaction. */
  readonly settle: (removed?: ReadonlySet<number>) => void
}

export function createSettler(db: DatabaseSync): Settler {
  const rows = db.prepare('select data from recent order by flush')
  const insert = db.prepare('insert into chunk(session, seq, n, epoch, w, data) values(?, ?, ?, ?, ?, ?)')
  const empty = db.prepare('delete from recent')
  return {
    settle(removed) {
      const entries = rows.all().flatMap(row => decodeRecent(String(row['data'])))
      if (entries.length === 0) return
      // First, so that on a full disk the rows move into their own space.
      empty.run()
      const bySession = Map.groupBy(entries, entry => entry.session)
      // In the order of the index, so that neighbours share its pages.
      for (const session of [...bySession.keys()].sort((a, b) => a - b)) {
        if (removed?.has(session)) continue
        for (const { seq, n, epoch, w, json } of join(bySession.get(session) ?? []))
          insert.run(session, seq, n, epoch, w, json)
      }
    },
  }
}

/** Entries that follow on each other within one epoch become one; `w` is that of the last. */
function join(entries: readonly RecentEntry[]): readonly RecentEntry[] {
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
