/**
 * Requests per minute of each key, in one bucket for all servers. A server takes a second's worth at a time and uses it
 * up, so it is off by that at most. While the records cannot be written, each server goes by its own count.
 */
import { RecentMap, type Records } from '@toolwire/core'
import { z } from 'zod'
import type { Principal } from './principal.ts'

const KIND = 'rate'
const MAX_KEYS = 10_000
const MINUTE_MS = 60_000

const Bucket = z.object({
  tokens: z.number(),
  /** Milliseconds since 1970 of the last refill. */
  at: z.number(),
})

export interface RateState {
  readonly limit: number
  /** Requests that may come at once. */
  readonly remaining: number
  /** Seconds until it is full again. */
  readonly reset: number
  /** Seconds to wait: there is no request left. */
  readonly wait?: number
}

export interface SharedRate {
  /**
   * Takes one request of the key, unless none is left. Undefined for a key without a limit, and while the records cannot
   * be written.
   */
  take(principal: Pick<Principal, 'key_id' | 'limits'>): Promise<RateState | undefined>
}

/** Of one key on this server. */
interface KeyShare {
  /** Requests that this server has taken from the bucket and not used. */
  left: number
  /** In the bucket when it was last seen. */
  tokens: number
  /** No server has a request left before, in milliseconds since 1970. */
  emptyUntil: number
  /** One write at a time. */
  queue: Promise<unknown>
}

/** Without records the bucket is of this process. */
export function createSharedRate(records: Pick<Records, 'update'> = inMemory(), now: () => Date): SharedRate {
  const shares = new RecentMap<string, KeyShare>(MAX_KEYS)

  function shareOf(key: string): KeyShare {
    const known = shares.get(key) ?? { left: 0, tokens: 0, emptyUntil: 0, queue: Promise.resolve() }
    shares.set(key, known)
    return known
  }
  async function refill(key: string, share: KeyShare, perMinute: number): Promise<void> {
    const at = now().getTime()
    if (share.left >= 1 || at < share.emptyUntil) return
    let taken = 0
    await records.update(KIND, key, value => {
      const bucket = Bucket.safeParse(value).data ?? { tokens: perMinute, at }
      // A clock that is behind adds nothing.
      const since = Math.max(0, at - bucket.at)
      const tokens = Math.min(perMinute, bucket.tokens + (since / MINUTE_MS) * perMinute)
      taken = Math.min(Math.floor(tokens), Math.ceil(perMinute / 60))
      share.tokens = tokens - taken
      return { tokens: tokens - taken, at: Math.max(bucket.at, at) }
    })
    share.left += taken
    if (taken === 0) share.emptyUntil = at + ((1 - share.tokens) * MINUTE_MS) / perMinute
  }
  return {
    async take({ key_id, limits: { requests_per_minute: limit } }) {
      if (key_id === null || limit === null) return undefined
      const share = shareOf(key_id)
      const turn = share.queue.then(async () => {
        await refill(key_id, share, limit)
        if (share.left < 1) return false
        share.left -= 1
        return true
      })
      share.queue = turn.catch(() => undefined)
      const isIn = await turn.catch(() => undefined)
      if (isIn === undefined) return undefined
      const wait = Math.max(1, Math.ceil((share.emptyUntil - now().getTime()) / 1000))
      const remaining = Math.floor(share.left + share.tokens)
      const reset = Math.ceil(((limit - remaining) * 60) / limit)
      return { limit, remaining, reset, ...(isIn ? {} : { wait }) }
    },
  }
}

function inMemory(): Pick<Records, 'update'> {
  const values = new RecentMap<string, unknown>(MAX_KEYS)
  return {
    async update(_, id, change) {
      const value = change(values.get(id))
      values.set(id, value)
      return value
    },
  }
}
