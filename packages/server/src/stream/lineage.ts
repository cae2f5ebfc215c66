/**
 * The name of the log's history, refreshed in the background: a database may fail over to a standby that lacks
 * events while its servers continue.
 */
import type { Store } from '@toolwire/core'
import { poll } from './poll.ts'

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
  async function refresh(): Promise<void> {
    const found = (await store.lineage?.()) ?? ''
    if (found === known) return
    known = found
    onChange()
  }
  // A database that is away has nothing to say about its history.
  const close = poll(refresh, POLL_MS)
  return {
    current: () => known,
    close,
  }
}
