/** Lets one reader wait until it is notified. Reset it before reading: no notification in between is lost. */
export interface WakeSignal {
  readonly notify: () => void
  readonly reset: () => void
  /** Resolves at once if it was notified since the last reset. */
  readonly wait: () => Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let isNotified = false
  let wake: (() => void) | undefined
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    reset() {
      isNotified = false
    },
    wait() {
      if (isNotified) return Promise.resolve()
      return new Promise(resolve => {
        wake = () => {
          wake = undefined
          resolve()
        }
      })
    },
  }
}
