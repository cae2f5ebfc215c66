/**
 * The name of the log's history, refreshed in the background: a database may fail over to a standby that lacks
 * events while its servers continue.
 */
import type { Store } from '@toolwire/core'

export interface Lineage {
  /** Empty for the first history. */
  current(): string
  /** Idempotent. */
  close(): void
}

const POLL_MS = 1000

/** `onChange` is called when another history has taken the place of the one known so far. Throws what the store throws. */
export async function createLineage(store: Store, onChange: () => void): Promise<Lineage> {
  let known = (await store.lineage?.()) ?? ''
  async function look(): Promise<void> {
    const found = (await store.lineage?.()) ?? ''
    if (found === known) return
    known = found
    onChange()
  }
  let closed = false
  let timer: NodeJS.Timeout
  function lookLater(): void {
    timer = setTimeout(() => {
      // A database that is away has nothing to say about its history.
      void look()
        .catch(() => {})
        .then(() => {
          if (!closed) lookLater()
        })
    }, POLL_MS)
    timer.unref()
  }
  lookLater()
  return {
    current: () => known,
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
