/** Records of a server that was given none: they are gone with the process, and the oldest make room. */
import type { Records } from '@toolwire/core'

const KEEP = 10_000

/** Nothing to close. */
export function createLocalRecords(): Omit<Records, 'close'> {
  const kept = new Map<string, unknown>()
  const at = (kind: string, id: string): string => `${kind}:${id}`
  function put(key: string, value: unknown): void {
    kept.delete(key)
    kept.set(key, value)
    const oldest = kept.keys().next().value
    if (kept.size > KEEP && oldest !== undefined) kept.delete(oldest)
  }
  return {
    get: async (kind, id) => kept.get(at(kind, id)),
    put: async (kind, id, value) => put(at(kind, id), value),
    async update(kind, id, change) {
      const value = change(kept.get(at(kind, id)))
      put(at(kind, id), value)
      return value
    },
    remove: async (kind, id) => kept.delete(at(kind, id)),
    list: async kind =>
      [...kept].flatMap(([key, value]) =>
        key.startsWith(`${kind}:`) ? [{ id: key.slice(kind.length + 1), value }] : [],
      ),
  }
}
