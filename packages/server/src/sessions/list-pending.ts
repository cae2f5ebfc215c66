/** Pending items of all sessions: approvals, questions and client tools. */
import { type PendingItem, pendingOf } from '@toolwire/core'
import type { Sessions } from '@toolwire/session'
import type { SessionStore } from '../context.ts'

export type ListedPending = PendingItem & { readonly session_id: string }

/** At most `limit` items of the sessions that the given store shows. */
export async function listPending(
  context: { readonly store: Pick<SessionStore, 'list'>; readonly sessions: Pick<Sessions, 'facts'> },
  limit: number,
): Promise<readonly ListedPending[]> {
  const out: ListedPending[] = []
  for (const state of ['paused', 'running'] as const) {
    let after: string | undefined
    do {
      const page = await context.store.list({ state, limit: 100, ...(after === undefined ? {} : { after }) })
      for (const row of page.items) {
        const items = pendingOf(await context.sessions.facts(row.id))
        out.push(...items.map(item => ({ session_id: row.id, ...item })))
        if (out.length >= limit) return out.slice(0, limit)
      }
      after = page.next ?? undefined
    } while (after !== undefined)
  }
  return out
}
