/** In-process records. Values are stored as JSON text, so that callers never share an object with the store. */
import type { Records, StoredRecord } from '@toolwire/core'

export function createMemoryRecords(): Records {
  const kinds = new Map<string, Map<string, string>>()
  const of = (kind: string): Map<string, string> => {
    const known = kinds.get(kind) ?? new Map<string, string>()
    kinds.set(kind, known)
    return known
  }
  const read = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))
  return {
    get: async (kind, id) => read(of(kind).get(id)),
    async getMany(kind, ids) {
      const known = of(kind)
      return ids.flatMap(id => (known.has(id) ? [{ id, value: read(known.get(id)) }] : []))
    },
    async put(kind, id, value) {
      of(kind).set(id, JSON.stringify(value))
    },
    async update(kind, id, change) {
      const value = change(read(of(kind).get(id)))
      of(kind).set(id, JSON.stringify(value))
      return value
    },
    remove: async (kind, id) => of(kind).delete(id),
    async list(kind, limit) {
      const all = [...of(kind)].map(([id, text]): StoredRecord => ({ id, value: JSON.parse(text) }))
      all.sort((a, b) => (a.id < b.id ? -1 : 1))
      return limit === undefined ? all : all.slice(-limit)
    },
    async close() {},
  }
}
