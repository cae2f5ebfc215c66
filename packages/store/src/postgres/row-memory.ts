/**
 * The latest rows read, as records: readers of one session request the same rows at different positions. Stored
 * records never change within a history, also when folded, so a cached record is never read again. Bounded, least
 * recently used first.
 */
import type { Rec, Seq } from '@toolwire/core'

export interface RecordCache {
  /**
   * The records after `after` without a gap, at most `max`; empty if the first of them is not cached. Shared:
   * callers must not change them.
   */
  readonly read: (session: string, after: Seq, max: number) => readonly Rec[]
  /** Keeps the records of one row, in order and without a gap; `size` is a measure of their memory. */
  readonly keep: (session: string, records: readonly Rec[], size: number) => void
  /** Forgets a session that was removed. */
  readonly drop: (session: string) => void
  /** Forgets all: the history is another one. */
  readonly clear: () => void
}

interface CachedRow {
  readonly session: string
  readonly records: readonly Rec[]
  readonly first: Seq
  /** The seq of the first record that is not in it. */
  readonly end: Seq
  readonly size: number
}

/** Characters of JSON of all rows that are kept. */
const KEPT = 4 * 1024 * 1024

export function createRowMemory(kept = KEPT): RecordCache {
  /** By place, without overlaps. */
  const sessions = new Map<string, CachedRow[]>()
  /** Those not used for longest first. */
  const used = new Set<CachedRow>()
  let size = 0

  function letGo(row: CachedRow): void {
    used.delete(row)
    size -= row.size
  }
  function drop(session: string): void {
    for (const row of sessions.get(session) ?? []) letGo(row)
    sessions.delete(session)
  }
  function makeRoom(): void {
    for (const row of used) {
      if (size <= kept) return
      const rows = sessions.get(row.session) ?? []
      rows.splice(placeOf(rows, row.first), 1)
      if (rows.length === 0) sessions.delete(row.session)
      letGo(row)
    }
  }
  return {
    drop,
    read(session, after, max) {
      const rows = sessions.get(session) ?? []
      const records: Rec[] = []
      let next = after + 1
      for (let i = placeOf(rows, next); records.length < max; i++) {
        const row = rows[i]
        if (!row || row.first > next) break
        const from = next - row.first
        for (const rec of row.records.slice(from, from + max - records.length)) records.push(rec)
        next = row.end
        used.delete(row)
        used.add(row)
      }
      return records
    },
    keep(session, records, length) {
      const [first] = records
      if (!first || length > kept) return
      const row = { session, records, first: first.seq, end: first.seq + records.length, size: length }
      const rows = sessions.get(session) ?? []
      const at = placeOf(rows, row.first)
      // Rows that were folded meanwhile are in the one that is new.
      let over = 0
      while ((rows[at + over]?.first ?? row.end) < row.end) over += 1
      for (const old of rows.splice(at, over, row)) letGo(old)
      sessions.set(session, rows)
      used.add(row)
      size += length
      makeRoom()
    },
    clear() {
      sessions.clear()
      used.clear()
      size = 0
    },
  }
}

/** The first row that does not end before `seq`. */
function placeOf(rows: readonly CachedRow[], seq: Seq): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.end ?? 0) > seq) high = middle
    else low = middle + 1
  }
  return low
}
