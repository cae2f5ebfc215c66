/** A value that frameworks can follow. */
export class Observable<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  /** Bound, so it can be passed on. */
  readonly getSnapshot = (): T => this.#value

  /** Returns the function that unsubscribes. Bound, so it can be passed on. */
  readonly subscribe = (listener: () => void): (() => void) => {
    // A separate function: the same listener may subscribe twice.
    const entry = () => listener()
    this.#listeners.add(entry)
    return () => {
      this.#listeners.delete(entry)
    }
  }

  protected set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }
}
