/** Promises by id that either side may come to first: who asks waits, who answers never does. */

export interface DeferredMap<T> {
  readonly wait: (id: string) => Promise<T>
  /** The first answer counts. */
  readonly fill: (id: string, value: T) => void
}

export function createSlots<T>(): DeferredMap<T> {
  const slots = new Map<string, PromiseWithResolvers<T>>()
  function slot(id: string): PromiseWithResolvers<T> {
    const known = slots.get(id) ?? Promise.withResolvers<T>()
    slots.set(id, known)
    return known
  }
  return { wait: id => slot(id).promise, fill: (id, value) => slot(id).resolve(value) }
}
