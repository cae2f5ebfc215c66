/** A map with a limit: beyond it the entry goes that was set longest ago. Setting an entry again makes it the newest. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number
  readonly #onDrop: (value: Value) => void

  /** Calls `onDrop` with values that the limit drops. */
  constructor(limit: number, onDrop: (value: Value) => void = () => {}) {
    super()
    this.#limit = limit
    this.#onDrop = onDrop
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size <= this.#limit) return this
    const [oldest] = this
    if (!oldest) return this
    this.delete(oldest[0])
    this.#onDrop(oldest[1])
    return this
  }

  /** Reads and removes. */
  take(key: Key): Value | undefined {
    const value = this.get(key)
    this.delete(key)
    return value
  }
}
