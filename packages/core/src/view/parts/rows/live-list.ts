/** The items of a stream so far, as a store for frameworks. It reads only while it has listeners. */

const NONE: readonly never[] = []
/** Lists are drawn at most this often. */
const EVERY_MS = 100

/** Opens the stream from its beginning. Ends when `signal` aborts. */
export type ListSource<T> = (signal: AbortSignal) => AsyncIterable<T>

/**
 * Reads from the start when the first listener subscribes; stops when the last one unsubscribes or the page is
 * hidden. Shown items stay until new ones arrive. A rejected stream leaves the list as it is.
 */
export class LiveList<T> {
  readonly #source: ListSource<T>
  readonly #listeners = new Set<() => void>()
  #shown: readonly T[] = NONE
  #reading: AbortController | undefined

  constructor(source: ListSource<T>) {
    this.#source = source
  }

  readonly getSnapshot = (): readonly T[] => this.#shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#look()
      globalThis.document?.addEventListener('visibilitychange', this.#look)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      globalThis.document?.removeEventListener('visibilitychange', this.#look)
      this.#stop()
    }
  }

  readonly #look = (): void => {
    if (globalThis.document?.hidden) this.#stop()
    else if (!this.#reading) void this.#read()
  }

  #stop(): void {
    this.#reading?.abort()
    this.#reading = undefined
  }

  async #read(): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    const all: T[] = []
    let waiting = false
    const show = () => {
      waiting = false
      if (reading.signal.aborted) return
      this.#shown = [...all]
      for (const listener of this.#listeners) listener()
    }
    try {
      for await (const item of this.#source(reading.signal)) {
        all.push(item)
        if (!waiting) setTimeout(show, EVERY_MS)
        waiting = true
      }
    } catch {
      // The connection's own part tells why; the list keeps what it has.
    }
  }
}
