/** A store that reports commits and their duration. Observers cannot change anything. */
import type { Append, AppendResult, Store } from '@toolwire/core'

/** Called after the commit. Must not throw or wait: appends continue at once. */
export type StoreObserver = (write: Append, answer: AppendResult, ms: number) => void

export function observeStore(store: Store, observers: readonly StoreObserver[]): Store {
  return {
    append(writes) {
      const begun = performance.now()
      return store.append(writes).then(answers => {
        const ms = performance.now() - begun
        writes.forEach((write, i) => {
          const answer = answers[i]
          if (answer) for (const observe of observers) observe(write, answer, ms)
        })
        return answers
      })
    },
    read: (session, after, max, how) => store.read(session, after, max, how),
    peek: (session, after, max) => store.peek?.(session, after, max),
    claim: request => store.claim(request),
    watch: hint => store.watch(hint),
    list: query => store.list(query),
    remove: session => store.remove(session),
    prune: options => store.prune(options),
    stats: () => store.stats(),
    lineage: async () => (await store.lineage?.()) ?? '',
    close: () => store.close(),
  }
}
