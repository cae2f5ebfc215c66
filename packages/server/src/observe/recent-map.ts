/** A map of open items that drops the oldest ones: items that never end must not fill the memory. */
export interface RecentMap<T> {
  readonly set: (key: string, value: T) => void
  readonly get: (key: string) => T | undefined
  /** Reads and removes. */
  readonly take: (key: string) => T | undefined
  readonly size: () => number
}

/** Calls `forgotten` with dropped items. */
export function createRecentMap<T>(keep: number, forgotten: (value: T) => void = () => {}): RecentMap<T> {
  const items = new Map<string, T>()
  return {
    set(key, value) {
      items.delete(key)
      items.set(key, value)
      if (items.size <= keep) return
      const oldest = items.entries().next().value
      if (!oldest) return
      items.delete(oldest[0])
      forgotten(oldest[1])
    },
    get: key => items.get(key),
    take(key) {
      const value = items.get(key)
      items.delete(key)
      return value
    },
    size: () => items.size,
  }
}
