/** A queue between one that speaks and one that listens. Nothing is lost, nothing blocks the speaker. */

export interface AsyncQueue<T> {
  /** Ignored after the end. */
  readonly put: (item: T) => void
  /** The oldest item, or the next one; undefined when `signal` is aborted first. One taker at a time. */
  readonly take: (signal: AbortSignal) => Promise<T | undefined>
  /** Drops unread items. */
  readonly clear: () => void
  /** After what is left, every `take` gets this. The first end counts. */
  readonly end: (last: T) => void
}

export function createMailbox<T>(): AsyncQueue<T> {
  let items: T[] = []
  let last: { readonly item: T } | undefined
  let wake: (() => void) | undefined

  function notify(): void {
    wake?.()
    wake = undefined
  }

  return {
    put(item) {
      if (last) return
      items.push(item)
      notify()
    },
    async take(signal) {
      while (items.length === 0 && !last) {
        if (signal.aborted) return undefined
        await untilWoken(signal, done => {
          wake = done
        })
      }
      return items.length > 0 ? items.shift() : last?.item
    },
    clear() {
      items = []
    },
    end(item) {
      last ??= { item }
      notify()
    },
  }
}

/** Resolves when the function given to `offer` is called, or when `signal` is aborted. */
export function untilWoken(signal: AbortSignal, offer: (done: () => void) => void): Promise<void> {
  return new Promise(resolve => {
    function done(): void {
      signal.removeEventListener('abort', done)
      resolve()
    }
    offer(done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
