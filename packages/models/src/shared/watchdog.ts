/**
 * Two clocks over one stream: one for bytes (the connection lives), one for content (the
 * model says something). Both stand still while nobody waits for the provider.
 */

export interface Silence {
  /** Longest wait for any byte, pings included. */
  readonly bytesMs: number
  /** Longest wait for something that moves the answer on. */
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

/** Calls `onSilence` at most once. */
export function createWatchdog(silence: Silence, onSilence: () => void): Watchdog {
  let isWaiting = false
  let bite: keyof Silence | undefined
  const bark = (which: keyof Silence, timer: () => NodeJS.Timeout) => () => {
    if (!isWaiting) timer().refresh()
    else if (bite === undefined) {
      bite = which
      onSilence()
    }
  }
  const bytes: NodeJS.Timeout = setTimeout(
    bark('bytesMs', () => bytes),
    silence.bytesMs,
  )
  const content: NodeJS.Timeout = setTimeout(
    bark('contentMs', () => content),
    silence.contentMs,
  )
  return {
    waiting() {
      isWaiting = true
      bytes.refresh()
    },
    received() {
      isWaiting = false
    },
    content: () => void content.refresh(),
    bitten: () => bite,
    stop() {
      clearTimeout(bytes)
      clearTimeout(content)
    },
  }
}
