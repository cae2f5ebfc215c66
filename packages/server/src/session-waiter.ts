/** Waits for news of one session on behalf of one request: a hint, the client's leaving, or the time to look anyway. */
import type { ServerResponse } from 'node:http'
import { AppError } from '@toolwire/core'
import type { ServerContext } from './context.ts'
import { isThere } from './find-session.ts'

export interface SessionWaiter {
  /** Forgets hints until now; called before each look into the log. Throws `session_deleted` once the session is gone. */
  reset(): void
  /** Resolves with the first hint since the last reset. */
  wait(): Promise<void>
  /** Waits no longer. */
  stop(): void
  /** Nobody waits any more: it was stopped, or the client has left. */
  stopped(): boolean
  /** Idempotent. */
  close(): void
}

export function createSessionWaiter(
  context: ServerContext,
  session: string,
  client: ServerResponse,
): SessionWaiter {
  let rang = false
  let removed = false
  let over = false
  let wake: () => void = () => {}
  const ring = (): void => {
    rang = true
    wake()
  }
  const hush = context.bell.on(session, event => {
    removed ||= event === 'removed'
    ring()
  })
  // A hint may be lost, or come before anybody waits for it: also that the session is gone.
  const look = async (): Promise<void> => {
    removed ||= !(await isThere(context.store, session).catch(() => true))
    ring()
  }
  const poll = setInterval(() => void look(), context.config.pollMs)
  client.once('close', ring)
  return {
    reset() {
      if (removed) throw new AppError('session_deleted')
      rang = false
    },
    wait: () =>
      rang
        ? Promise.resolve()
        : new Promise(resolve => {
            wake = resolve
          }),
    stop() {
      over = true
      ring()
    },
    stopped: () => over || client.destroyed,
    close() {
      hush()
      clearInterval(poll)
      client.off('close', ring)
    },
  }
}
