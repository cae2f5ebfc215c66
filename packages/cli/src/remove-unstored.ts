/** Sessions whose responses were all requested with `store: false` are removed some time after their last one. */
import { readPages, type Store } from '@toolwire/core'
import { isUnstoredRun, UNSTORED_LABEL } from '@toolwire/server'

const HOUR = 3_600_000

/** Removes now and every hour; a failure is tried again then. Returns a function that ends it. */
export function startRemoval(store: Store, hours: number | undefined): () => void {
  if (hours === undefined) return () => {}
  const remove = (): void => void removeUnstored(store, Date.now() - hours * HOUR).catch(() => {})
  remove()
  const timer = setInterval(remove, HOUR).unref()
  return () => clearInterval(timer)
}

/** Returns the number of removed sessions: idle ones that were last updated before `before`. */
export async function removeUnstored(store: Store, before: number): Promise<number> {
  const labels = { [UNSTORED_LABEL]: 'true' }
  let removed = 0
  for (let after: string | undefined; ; ) {
    const page = await store.list({
      labels,
      state: 'idle',
      limit: 100,
      ...(after === undefined ? {} : { after }),
    })
    for (const { id, updatedAt } of page.items)
      if (updatedAt < before && (await isUnstored(store, id)) && (await store.remove(id))) removed += 1
    if (page.next === null) return removed
    after = page.next
  }
}

/** A session may have been continued by a request that is to be stored, or over another wire. */
async function isUnstored(store: Store, session: string): Promise<boolean> {
  for await (const records of readPages(store, session, { after: 0 }))
    if (records.some(({ ev }) => ev.type === 'run.started' && !isUnstoredRun(ev))) return false
  return true
}
