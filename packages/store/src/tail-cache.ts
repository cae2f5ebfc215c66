/**
 * The last records of the sessions that are being written, as objects: a live reader is served
 * from here and touches neither the database nor JSON. Bounded; what falls out is in the database.
 */
import type { Rec, Seq } from '@toolwire/core'

export interface TailCache {
  /** Adds committed records in order; `size` is their length as JSON. */
  readonly push: (session: string, records: readonly Rec[], size: number) => void
  /** The records after `after`, or undefined when the tail does not reach back that far. */
  readonly read: (session: string, after: Seq, max: number) => readonly Rec[] | undefined
  readonly drop: (session: string) => void
  /** Drops the session's tail when it does not reach `head`. */
  readonly dropBehind: (session: string, head: Seq) => void
  readonly clear: () => void
}

export interface TailLimits {
  /** Characters of JSON over all sessions, as a measure of memory. */
  readonly total: number
  readonly perSession: number
}

interface Tail {
  records: Rec[]
  size: number
  /** Written since the last look for something to drop. */
  recent: boolean
}

const NOTHING: readonly Rec[] = []
const LIMITS: TailLimits = { total: 4 * 1024 * 1024, perSession: 1024 * 1024 }

export function createTailCache(limits: TailLimits = LIMITS): TailCache {
  const tails = new Map<string, Tail>()
  let total = 0

  function drop(session: string): void {
    const tail = tails.get(session)
    if (!tail) return
    total -= tail.size
    tails.delete(session)
  }
  /** Keeps the later half; its size is an estimate that the next halving corrects. */
  function halve(tail: Tail): void {
    const kept = Math.ceil(tail.size / 2)
    total -= tail.size - kept
    tail.records = tail.records.slice(Math.floor(tail.records.length / 2))
    tail.size = kept
  }
  function makeRoom(): void {
    for (const [session, tail] of tails) {
      if (total <= limits.total) return
      if (!tail.recent) drop(session)
      else {
        tail.recent = false
        tails.delete(session)
        tails.set(session, tail)
      }
    }
  }
  function tailFor(session: string, first: Seq): Tail {
    const known = tails.get(session)
    const last = known?.records.at(-1)
    if (known && last && last.seq + 1 === first) return known
    drop(session)
    const tail: Tail = { records: [], size: 0, recent: true }
    tails.set(session, tail)
    return tail
  }

  return {
    push(session, records, size) {
      const [first] = records
      if (!first) return
      const tail = tailFor(session, first.seq)
      for (const record of records) tail.records.push(record)
      tail.size += size
      tail.recent = true
      total += size
      if (tail.size > limits.perSession) halve(tail)
      if (total > limits.total) makeRoom()
    },
    read(session, after, max) {
      const records = tails.get(session)?.records
      const first = records?.[0]
      if (!records || !first || after < first.seq - 1) return undefined
      const from = after + 1 - first.seq
      return from >= records.length ? NOTHING : records.slice(from, from + max)
    },
    drop,
    dropBehind(session, head) {
      const last = tails.get(session)?.records.at(-1)
      if (last && last.seq < head) drop(session)
    },
    clear() {
      tails.clear()
      total = 0
    },
  }
}
