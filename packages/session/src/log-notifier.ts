/**
 * Notifies followers that a session's log has grown: one subscription to the store for all of them. A notification
 * carries no data; listeners read the log.
 */
import type { Seq, SessionLog } from '@toolwire/core'

/** `head` is the end of the log; 0 when it is not known. */
type LogListener = (event: 'grown' | 'removed', head: Seq) => void

export interface LogNotifier {
  /** Returns a function that unsubscribes. */
  on(session: string, listener: LogListener): () => void
  /** Idempotent. */
  close(): void
}

export async function createLogNotifier(log: SessionLog): Promise<LogNotifier> {
  const subscribed = new Map<string, Set<LogListener>>()
  function notify(listeners: ReadonlySet<LogListener> | undefined, ...args: Parameters<LogListener>): void {
    // Listeners may unsubscribe during the iteration.
    if (listeners) for (const listener of listeners) listener(...args)
  }
  const unwatch = await log.watch((session, head) => {
    if (session !== '*') return notify(subscribed.get(session), head === 0 ? 'removed' : 'grown', head)
    for (const listeners of [...subscribed.values()]) notify(listeners, 'grown', 0)
  })
  return {
    on(session, listener) {
      const listeners = subscribed.get(session) ?? new Set()
      subscribed.set(session, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && subscribed.get(session) === listeners) subscribed.delete(session)
      }
    },
    close() {
      unwatch()
      subscribed.clear()
    },
  }
}
