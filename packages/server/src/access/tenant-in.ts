/** Whom a session belongs to, for what lies outside of the log: notes that outlive sessions. */
import type { Store } from '@toolwire/core'
import { OWNER_LABEL } from './attribute-write.ts'
import { DEFAULT_OWNER } from './principal.ts'

/** Undefined for the operator's own sessions; a deleted session belongs to itself alone. */
export const tenantIn =
  (store: Pick<Store, 'list'>) =>
  async (session: string): Promise<string | undefined> => {
    if (session === '') return undefined
    const [row] = (await store.list({ ids: [session], limit: 1 })).items
    if (!row) return `session ${session}`
    const owner = row.labels[OWNER_LABEL]
    return owner === DEFAULT_OWNER ? undefined : owner
  }
