/** A log that shows its records bit by bit, with or without a cache, and may lose notifications. */
import type { Rec, SessionLog, SessionRow } from '@toolwire/core'
import { createSessions, type Sessions } from '../src/index.ts'

export const SESSION = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

export interface GrowingLogOptions {
  readonly hasCache: boolean
  /** A live read returns this many records at most, and at least one. */
  readonly liveMax: number
}

export interface GrowingLog {
  readonly sessions: Sessions
  /** Shows the next records. Without `isNotified` followers have to find them. */
  grow(count: number, isNotified: boolean): void
  /** Deletes the session. */
  remove(isNotified: boolean): void
  /** Positions from which the log was read. */
  readonly reads: readonly number[]
}

export async function createGrowingLog(
  records: readonly Rec[],
  shown: number,
  options: GrowingLogOptions = { hasCache: false, liveMax: 1000 },
): Promise<GrowingLog> {
  let head = shown
  let isRemoved = false
  let notify: (session: string, head: number) => void = () => {}
  const reads: number[] = []
  const page = (after: number, max: number): readonly Rec[] =>
    isRemoved ? [] : records.slice(after, Math.min(head, after + max))
  const log = {
    async read(_session, after, max, how) {
      reads.push(after)
      return page(after, how?.live ? Math.min(max, Math.max(1, options.liveMax)) : max)
    },
    ...(options.hasCache ? { peek: (_session, after, max) => page(after, max) } : {}),
    async watch(hint) {
      notify = hint
      return () => {}
    },
    list: async () => ({ items: isRemoved ? [] : [{ id: SESSION } as SessionRow], next: null }),
  } as Partial<SessionLog> as SessionLog
  const sessions = await createSessions({
    store: log,
    log,
    runtime: { wake() {} },
    rules: {
      keptOutput: (_, output) => ({ output, ends_turn: false }),
      readFormAnswer: () => ({ ok: true }),
    },
    ids: { uuid: () => 'id', prefixed: prefix => `${prefix}id` },
    now: () => new Date(0),
    pollMs: 2,
  })
  return {
    sessions,
    reads,
    grow(count, isNotified) {
      head = Math.min(records.length, head + count)
      if (isNotified) notify(SESSION, head)
    },
    remove(isNotified) {
      isRemoved = true
      if (isNotified) notify(SESSION, 0)
    },
  }
}
