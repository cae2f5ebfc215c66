/** Finding sessions by the ids that requests name. */
import { AppError, type SessionRow, type Store } from '@toolwire/core'

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/

/** The session's row. Throws `session_not_found` or `session_deleted`. */
export async function findSession(store: Store, id: string): Promise<SessionRow> {
  if (!SESSION_ID.test(id)) throw new AppError('session_not_found')
  const { items } = await store.list({ ids: [id], limit: 1 })
  const [row] = items
  if (row) return row
  throw await missingSession(store, id)
}

/** Whether the session exists now. */
export const isThere = async (store: Store, id: string): Promise<boolean> =>
  (await store.list({ ids: [id], limit: 1 })).items.length > 0

/** An empty write is stored nowhere, but its answer tells whether the session ever was. */
async function missingSession(store: Store, id: string): Promise<AppError> {
  const [answer] = await store.append([{ session: id, events: [] }])
  const deleted = answer && 'missing' in answer && answer.missing === 'deleted'
  return new AppError(deleted ? 'session_deleted' : 'session_not_found')
}
