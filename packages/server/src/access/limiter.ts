/** Limits of each key on one server: requests per minute and concurrent requests. Counted in this process; `shared-rate.ts` counts requests per minute across servers. */
import { AppError } from '@toolwire/core'
import type { Principal } from './principal.ts'

export interface Limiter {
  /**
   * Counts a request and returns the function that ends it. Throws `too_many_requests`, with the seconds to wait
   * in its details.
   */
  enter(principal: Pick<Principal, 'key_id' | 'limits' | 'token'>): () => void
}

interface Count {
  /** Requests that may still come now; refills steadily up to a minute's worth. */
  tokens: number
  refilled: number
  under_way: number
}

/** `now` are milliseconds that never go back. */
export function createLimiter(now: () => number = () => performance.now()): Limiter {
  const counts = new Map<string, Count>()

  function countOf(id: string, perMinute: number | null): Count {
    const at = now()
    const count = counts.get(id) ?? { tokens: perMinute ?? 0, refilled: at, under_way: 0 }
    if (perMinute !== null) {
      count.tokens = Math.min(perMinute, count.tokens + ((at - count.refilled) / 60_000) * perMinute)
      count.refilled = at
    }
    counts.set(id, count)
    return count
  }
  function enterOne({ key_id, limits }: Pick<Principal, 'key_id' | 'limits'>): () => void {
    const { requests_per_minute, concurrent } = limits
    if (key_id === null || (requests_per_minute === null && concurrent === null)) return () => {}
    const count = countOf(key_id, requests_per_minute)
    if (concurrent !== null && count.under_way >= concurrent)
      throw new AppError('too_many_requests', `This API key allows ${concurrent} requests at once.`, {
        retry_after: 1,
      })
    if (requests_per_minute !== null && count.tokens < 1) {
      const retry_after = Math.ceil(((1 - count.tokens) * 60) / requests_per_minute)
      throw new AppError(
        'too_many_requests',
        `This API key allows ${requests_per_minute} requests a minute.`,
        { retry_after },
      )
    }
    count.tokens -= 1
    count.under_way += 1
    let inside = true
    return () => {
      if (inside) count.under_way -= 1
      inside = false
    }
  }
  return {
    enter(principal) {
      // A token at its own limit takes nothing from the other tokens of its key.
      const leave = enterOne(principal)
      const maker = principal.token?.maker
      try {
        const leaveMaker = maker ? enterOne(maker) : () => {}
        return () => {
          leave()
          leaveMaker()
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
