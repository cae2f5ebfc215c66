/** Bounds how long a model may ignore that it was stopped. */

/** Milliseconds that a model has to report its usage and to end after its signal. */
const GRACE_MS = 2000

/** The same parts. Throws the reason of the signal when the model has not ended `graceMs` after it. */
export function untilIgnored<T>(
  parts: AsyncIterable<T>,
  signal: AbortSignal,
  graceMs = GRACE_MS,
): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => bounded(parts[Symbol.asyncIterator](), signal, graceMs) }
}

function bounded<T>(source: AsyncIterator<T>, signal: AbortSignal, graceMs: number): AsyncIterator<T> {
  let isIgnored = false
  let giveUp: (reason: unknown) => void = () => {}
  let timer: NodeJS.Timeout | undefined
  function start(): void {
    timer = setTimeout(() => {
      isIgnored = true
      giveUp(signal.reason)
    }, graceMs)
  }
  function finish(): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', start)
  }
  if (signal.aborted) start()
  else signal.addEventListener('abort', start, { once: true })
  return {
    next: () =>
      new Promise((resolve, reject) => {
        giveUp = reject
        if (isIgnored) return reject(signal.reason)
        source.next().then(
          result => {
            if (result.done) finish()
            resolve(result)
          },
          error => {
            finish()
            reject(error)
          },
        )
      }),
    async return() {
      finish()
      // A generator that hangs would never take this.
      if (!isIgnored) await source.return?.()
      return { done: true, value: undefined }
    },
  }
}
