/** Says if some process runs what this one stores. The database is asked once a second at most. */
import type { Store } from '@toolwire/core'

const FRESH_MS = 1000

export function createWorkerCheck(
  store: Pick<Store, 'hasLiveNode'>,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined
  let askedAt = 0
  return async () => {
    if (answer === undefined || now() - askedAt >= FRESH_MS) {
      askedAt = now()
      // A database that is away is reported by the request itself.
      answer = (store.hasLiveNode?.() ?? Promise.resolve(true)).catch(() => true)
    }
    return await answer
  }
}
