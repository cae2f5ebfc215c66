/** All open event streams: their number, their heartbeats, and their end at shutdown. One timer for all. */
import { AppError } from '@toolwire/core'
import type { Principal } from '../access/principal.ts'
import type { SseConnection } from '../http/sse.ts'
import type { ServerSettings } from '../settings.ts'

/** The writer of a stream. */
interface Follower {
  /** Events that it has yet to send. */
  readonly lag: () => number
}

export interface StreamPool {
  /**
   * Counts a stream until the returned function is called. Throws `too_many_requests`, also for the share of the
   * request's key and owner, or `shutting_down`.
   */
  add(connection: SseConnection, follower: Follower): () => void
  /** Throws what `add` would throw. */
  check(): void
  size(): number
  /** Events that the slowest stream has yet to send, as far as known. */
  lag(): number
  /** Cuts every stream off; their readers may come again. */
  cut(): void
  /** As `cut`, and takes no new one. Idempotent. */
  close(): void
  /** True after `close`. */
  closed(): boolean
}

type StreamLimits = Pick<
  ServerSettings,
  'maxStreams' | 'maxStreamsPerKey' | 'maxStreamsPerOwner' | 'heartbeatMs' | 'stallMs'
>

/** `principal` is the asker at the time of a call. */
export function createStreamPool(limits: StreamLimits, principal: () => Principal): StreamPool {
  const open = new Map<SseConnection, Follower>()
  const tickMs = Math.max(5, Math.min(limits.heartbeatMs / 4, limits.stallMs / 4, 1000))
  // Beats come early by one tick, so that they are never further apart than promised.
  const pace = { heartbeatMs: limits.heartbeatMs - tickMs, stallMs: limits.stallMs }
  const tick = setInterval(() => {
    for (const connection of [...open.keys()]) connection.tick(pace)
  }, tickMs)
  tick.unref()
  let closing = false
  /** Open streams by key and by owner. */
  const shares = new Map<string, number>()

  function check(): void {
    if (closing) throw new AppError('shutting_down')
    if (open.size >= limits.maxStreams) throw new AppError('too_many_requests', 'Too many open streams.')
    for (const { name, most, whose } of sharesOf(principal(), limits))
      if ((shares.get(name) ?? 0) >= most)
        throw new AppError('too_many_requests', `${whose} allows ${most} open streams on this server.`)
  }
  function count(names: readonly string[], by: 1 | -1): void {
    for (const name of names) {
      const now = (shares.get(name) ?? 0) + by
      if (now > 0) shares.set(name, now)
      else shares.delete(name)
    }
  }
  function cut(): void {
    for (const connection of [...open.keys()]) connection.destroy()
  }
  return {
    check,
    cut,
    add(connection, follower) {
      check()
      const names = sharesOf(principal(), limits).map(({ name }) => name)
      open.set(connection, follower)
      count(names, 1)
      return () => {
        if (open.delete(connection)) count(names, -1)
      }
    },
    size: () => open.size,
    closed: () => closing,
    lag: () => Math.max(0, ...[...open.values()].map(({ lag }) => lag())),
    close() {
      closing = true
      clearInterval(tick)
      cut()
    },
  }
}

interface Share {
  readonly name: string
  readonly most: number
  readonly whose: string
}

/** Without keys there is one caller alone. A key that was granted more requests at once may use them for streams. */
function sharesOf({ key_id, owner, limits }: Principal, settings: StreamLimits): readonly Share[] {
  if (key_id === null) return []
  const most = Math.max(settings.maxStreamsPerKey, limits.concurrent ?? 0)
  return [
    { name: `key ${key_id}`, most, whose: 'This API key' },
    { name: `owner ${owner}`, most: settings.maxStreamsPerOwner, whose: 'The owner of this API key' },
  ]
}
