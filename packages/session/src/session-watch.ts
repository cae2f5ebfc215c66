/**
 * Wakes followers: at every notification, and by one timer for all of them, because a notification may be lost. The
 * timer also finds sessions that were deleted without a notification.
 */
import type { Seq, SessionLog } from '@toolwire/core'
import type { LogNotifier } from './log-notifier.ts'

interface WatchListener {
  /** `head` is 0 when it is not known. */
  readonly onGrown: (head: Seq) => void
  readonly onRemoved: () => void
}

interface WatchedSession {
  /** Reports a record: the session need not be checked for a period. */
  readonly touch: () => void
  /** Idempotent. */
  readonly unsubscribe: () => void
}

export interface SessionWatch {
  add(session: string, listener: WatchListener): WatchedSession
  /** Idempotent. */
  close(): void
}

/** Sessions per query of the existence check. */
const BATCH = 100

interface Entry {
  readonly session: string
  readonly listener: WatchListener
  isQuiet: boolean
}

/** `log` must not be scoped to a request: the timer runs outside of requests. */
export function createSessionWatch(
  log: Pick<SessionLog, 'list'>,
  notifier: LogNotifier,
  pollMs: number,
): SessionWatch {
  const entries = new Set<Entry>()
  let isChecking = false

  async function check(quiet: readonly Entry[]): Promise<void> {
    const sessions = [...new Set(quiet.map(entry => entry.session))]
    for (let at = 0; at < sessions.length; at += BATCH) {
      const missing = await findMissing(sessions.slice(at, at + BATCH))
      if (missing.size > 0) report(quiet.filter(entry => missing.has(entry.session)))
    }
  }
  async function findMissing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const missing = new Set(ids)
    for (const row of (await log.list({ ids, limit: BATCH })).items) missing.delete(row.id)
    return missing
  }
  function report(removed: readonly Entry[]): void {
    for (const entry of removed) if (entries.has(entry)) entry.listener.onRemoved()
  }
  const timer = setInterval(() => {
    const quiet = [...entries].filter(entry => entry.isQuiet)
    for (const entry of entries) {
      entry.isQuiet = true
      entry.listener.onGrown(0)
    }
    if (isChecking || quiet.length === 0) return
    isChecking = true
    // A store that cannot answer proves nothing: the next period checks again.
    void check(quiet)
      .catch(() => {})
      .finally(() => {
        isChecking = false
      })
  }, pollMs)
  timer.unref()

  return {
    add(session, listener) {
      const entry: Entry = { session, listener, isQuiet: false }
      entries.add(entry)
      const unsubscribe = notifier.on(session, (event, head) => {
        if (event === 'removed') listener.onRemoved()
        else listener.onGrown(head)
      })
      return {
        touch() {
          entry.isQuiet = false
        },
        unsubscribe() {
          entries.delete(entry)
          unsubscribe()
        },
      }
    },
    close() {
      clearInterval(timer)
      entries.clear()
    },
  }
}
