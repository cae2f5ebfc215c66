/** A map of things under way that forgets the oldest ones: what never ends must not fill the memory. */
export interface RecentMap<T> {
  readonly set: (key: string, value: T) => void
  readonly get: (key: string) => T | undefined
  /** Reads and removes. */
  readonly take: (key: string) => T | undefined
  readonly size: () => number
}

/** `forgotten` is told what was pushed out. */
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
