/** Sessions, events and rows from the counters that triggers keep; sessions that are not idle are few, and have an index each. */
import type { DatabaseSync } from 'node:sqlite'
import type { StoreStats } from '@toolwire/core'
import type { StatementClient } from './statement-client.ts'
import { withStorageErrors } from './storage-errors.ts'

export interface Statistics {
  readonly stats: () => Omit<StoreStats, 'bytes'>
  /** Counts idle sessions, last updated before `before`, on the statement thread. */
  readonly countOld: (before: number) => Promise<number>
}

export function createStatistics(db: DatabaseSync, thread: StatementClient): Statistics {
  const totals = db.prepare('select sessions, events, chunks from total')
  const running = db.prepare("select count(*) as sessions from session where state = 'running'")
  const paused = db.prepare("select count(*) as sessions from session where state = 'paused'")
  return {
    stats: withStorageErrors(() => {
      const {
        sessions,
        events,
        chunks: rows,
      } = totals.get() as Record<'sessions' | 'events' | 'chunks', number>
      const active = {
        running: Number(running.get()?.['sessions']),
        paused: Number(paused.get()?.['sessions']),
      }
      const all = { idle: sessions - active.running - active.paused, ...active }
      const byState = Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0))
      return { sessions, events, rows, byState }
    }),
    async countOld(before) {
      const [row] = await thread.all(COUNT_OLD, before)
      return Number(row?.['sessions'])
    },
  }
}

export const COUNT_OLD = "select count(*) as sessions from session where state = 'idle' and updated_at < ?"
