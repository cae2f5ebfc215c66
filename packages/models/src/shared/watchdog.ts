/**
 * Two timeouts per stream, for bytes (the connection lives) and for content (the model responds). Both pause while
 * no read is pending.
 */

export interface SilenceLimits {
  /** Longest wait for any byte, pings included, once the answer has begun. */
  readonly bytesMs: number
  /** Longest wait for something that moves the answer on, once it has begun. */
  readonly contentMs: number
}

export interface Watchdog {
  readonly waiting: () => void
  readonly received: () => void
  readonly content: () => void
  /** The exceeded limit; undefined without one. */
  readonly exceededLimit: () => keyof SilenceLimits | undefined
  /** Idempotent; must be called, or the timers keep the process alive. */
  readonly stop: () => void
}

/** A model may think before it speaks: until its answer begins, both limits are so many times as long. */
const BEFORE_THE_FIRST = 2

/**
 * Calls `onSilence` at most once. Timers are checked when they may be due and not reset for every chunk: that
 * would cost more than reading it.
 */
export function createWatchdog(silence: SilenceLimits, onSilence: () => void): Watchdog {
  let isWaiting = false
  let hasBegun = false
  let bite: keyof SilenceLimits | undefined
  const since = { bytesMs: performance.now(), contentMs: performance.now() }
  const timers: Partial<Record<keyof SilenceLimits, NodeJS.Timeout>> = {}

  const left = (which: keyof SilenceLimits): number =>
    since[which] + silence[which] * (hasBegun ? 1 : BEFORE_THE_FIRST) - performance.now()
  function arm(which: keyof SilenceLimits): void {
    timers[which] = setTimeout(look, Math.max(1, left(which)), which)
  }
  function look(which: keyof SilenceLimits): void {
    if (bite !== undefined) return
    if (!isWaiting) since[which] = performance.now()
    if (left(which) > 0) arm(which)
    else {
      bite = which
      onSilence()
    }
  }
  function stop(): void {
    clearTimeout(timers.bytesMs)
    clearTimeout(timers.contentMs)
  }
  function begin(): void {
    hasBegun = true
    since.bytesMs = performance.now()
    stop()
    arm('bytesMs')
    arm('contentMs')
  }
  arm('bytesMs')
  arm('contentMs')
  return {
    waiting() {
      isWaiting = true
      since.bytesMs = performance.now()
    },
    received() {
      isWaiting = false
    },
    content() {
      since.contentMs = performance.now()
      if (!hasBegun) begin()
    },
    exceededLimit: () => bite,
    stop,
  }
}
