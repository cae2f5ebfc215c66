/** Waiting between attempts: exponential, with jitter, cut short when the network comes back. */
export interface Backoff {
  /** Delay before the first repetition. */
  readonly baseMs: number
  readonly maxMs: number
}

export const BACKOFF: Backoff = { baseMs: 500, maxMs: 15_000 }

/** Between half of the full delay and all of it, so that clients of a restarted server spread out. */
export const delayOf = (attempt: number, { baseMs, maxMs }: Backoff, random = Math.random()): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30)) * (0.5 + random / 2)

/** Resolves after the time, at an abort, when the machine goes online, or when the page is shown again. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const wake = new AbortController()
    const done = (): void => {
      clearTimeout(timer)
      wake.abort()
      resolve()
    }
    const timer = setTimeout(done, ms)
    const once = { once: true, signal: wake.signal }
    signal?.addEventListener('abort', done, once)
    // Node has no page and no `online` event.
    globalThis.addEventListener?.('online', done, once)
    globalThis.document?.addEventListener('visibilitychange', done, once)
  })
}
