/** The other side of a connection, for hosts: reports its end once to everyone who asked. */
import type { Client } from './exchange.ts'

export interface OpenClient extends Client {
  /** The response has ended, or the client has left. Idempotent. */
  close(): void
}

/** `abort` breaks the connection; it never runs after `close`. */
export function createClient(hasLeft: boolean, abort: () => void): OpenClient {
  const listeners = new Set<() => void>()
  let isClosed = hasLeft
  function close(): void {
    if (isClosed) return
    isClosed = true
    for (const listener of listeners) listener()
    listeners.clear()
  }
  return {
    close,
    isClosed: () => isClosed,
    onClose(listener) {
      if (isClosed) {
        listener()
        return () => {}
      }
      // Two calls with one function are two subscriptions.
      const notify = (): void => listener()
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
    destroy() {
      if (!isClosed) abort()
      close()
    },
  }
}
