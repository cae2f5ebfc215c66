/** All open event streams: their number, their heartbeats, and their end at shutdown. One timer for all. */
import { AppError } from '@toolwire/core'
import type { ServerConfig } from './config.ts'
import type { SseConnection } from './sse.ts'

/** What the pool knows of the one who writes a stream. */
interface Follower {
  readonly ring: () => void
  readonly lag: () => number
}

export interface StreamPool {
  /**
   * Counts a stream in; `ring` is called now and then until the returned function is called.
   * Throws `too_many_requests` or `shutting_down`.
   */
  add(connection: SseConnection, follower: Follower): () => void
  /** Throws what `add` would throw. */
  check(): void
  size(): number
  /** How many events the slowest stream has yet to send, as far as known. */
  lag(): number
  /** Cuts every stream off; their readers may come again. */
  cut(): void
  /** As `cut`, and takes no new one. Idempotent. */
  close(): void
  /** Whether `close` was called. */
  closed(): boolean
}

type Limits = Pick<ServerConfig, 'maxStreams' | 'heartbeatMs' | 'stallMs' | 'pollMs'>

export function createStreamPool(limits: Limits): StreamPool {
  const open = new Map<SseConnection, Follower>()
  const tickMs = Math.max(5, Math.min(limits.heartbeatMs / 4, limits.stallMs / 4, 1000))
  // Beats come early by one tick, so that they are never further apart than promised.
  const pace = { heartbeatMs: limits.heartbeatMs - tickMs, stallMs: limits.stallMs }
  const tick = setInterval(() => {
    for (const connection of [...open.keys()]) connection.tick(pace)
  }, tickMs)
  const poll = setInterval(() => {
    for (const { ring } of [...open.values()]) ring()
  }, limits.pollMs)
  tick.unref()
  poll.unref()
  let closing = false

  function check(): void {
    if (closing) throw new AppError('shutting_down')
    if (open.size >= limits.maxStreams) throw new AppError('too_many_requests', 'Too many open streams.')
  }
  function cut(): void {
    for (const connection of [...open.keys()]) connection.destroy()
  }
  return {
    check,
    cut,
    add(connection, follower) {
      check()
      open.set(connection, follower)
      return () => open.delete(connection)
    },
    size: () => open.size,
    closed: () => closing,
    lag: () => Math.max(0, ...[...open.values()].map(({ lag }) => lag())),
    close() {
      closing = true
      clearInterval(tick)
      clearInterval(poll)
      cut()
    },
  }
}
