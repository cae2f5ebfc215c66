/** Limits on the silence and the total time of a call. Waiting for a user is excluded from both. */

export interface PatienceLimits {
  /** Without any sign of life. */
  readonly idle_ms: number
  /** In all. */
  readonly total_ms: number
}

export interface Patience {
  /** Aborted when the patience is at its end. */
  readonly signal: AbortSignal
  /** A sign of life. */
  readonly touch: () => void
  /** Stops the time until `resume`, while a user has to answer. May be nested. */
  readonly pause: () => void
  readonly resume: () => void
  /** Idempotent; afterwards nothing is aborted. */
  readonly stop: () => void
}

/** Starts at once. The caller stops it. */
export function createCallTimer({ idle_ms, total_ms }: PatienceLimits): Patience {
  const controller = new AbortController()
  let left = total_ms
  let since = performance.now()
  let paused = 0
  let stopped = false
  let idle: NodeJS.Timeout | undefined
  let total: NodeJS.Timeout | undefined
  const end = (): void => controller.abort()

  function begin(): void {
    since = performance.now()
    idle = setTimeout(end, idle_ms).unref()
    total = setTimeout(end, Math.max(0, left)).unref()
  }

  function halt(): void {
    clearTimeout(idle)
    clearTimeout(total)
    left -= performance.now() - since
  }

  begin()
  return {
    signal: controller.signal,
    touch() {
      if (!stopped && paused === 0) idle?.refresh()
    },
    pause() {
      if (paused++ === 0 && !stopped) halt()
    },
    resume() {
      if (paused > 0 && --paused === 0 && !stopped) begin()
    },
    stop() {
      if (stopped) return
      stopped = true
      if (paused === 0) halt()
    },
  }
}
