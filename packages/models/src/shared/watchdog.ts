/**
 * Two clocks over one stream: one for bytes (the connection lives), one for content (the
 * model says something). Both stand still while nobody waits for the provider.
 */

export interface Silence {
  /** Longest wait for any byte, pings included, once the answer has begun. */
  readonly bytesMs: number
  /** Longest wait for something that moves the answer on, once it has begun. */
  readonly contentMs: number
}

export interface Watchdog {
  readonly waiting: () => void
  readonly received: () => void
  readonly content: () => void
  /** What was exceeded; undefined while all is well. */
  readonly bitten: () => keyof Silence | undefined
  /** Idempotent; must be called, or the timers keep the process alive. */
  readonly stop: () => void
}

/** A model may think before it speaks: until its answer begins, both limits are so many times as long. */
const BEFORE_THE_FIRST = 2

/** Calls `onSilence` at most once. */
export function createWatchdog(silence: Silence, onSilence: () => void): Watchdog {
  let isWaiting = false
  let hasBegun = false
  let bite: keyof Silence | undefined

  function arm(which: keyof Silence, times: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (!isWaiting) timer.refresh()
      else if (bite === undefined) {
        bite = which
        onSilence()
      }
    }, silence[which] * times)
    return timer
  }
  let bytes = arm('bytesMs', BEFORE_THE_FIRST)
  let content = arm('contentMs', BEFORE_THE_FIRST)

  function stop(): void {
    clearTimeout(bytes)
    clearTimeout(content)
  }
  function begin(): void {
    hasBegun = true
    stop()
    bytes = arm('bytesMs', 1)
    content = arm('contentMs', 1)
  }
  return {
    waiting() {
      isWaiting = true
      bytes.refresh()
    },
    received() {
      isWaiting = false
    },
    content() {
      if (hasBegun) content.refresh()
      else begin()
    },
    bitten: () => bite,
    stop,
  }
}
