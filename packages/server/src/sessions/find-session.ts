/** Finds sessions by the ids that requests name. */
import { AppError, type SessionRow, type Store } from '@toolwire/core'
import type { ServerContext } from '../context.ts'

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/

/** The session's row. Throws `session_not_found` or `session_deleted`. */
export async function findSession(
  { store, sessions }: Pick<ServerContext, 'store' | 'sessions'>,
  id: string,
): Promise<SessionRow> {
  if (!SESSION_ID.test(id)) throw new AppError('session_not_found')
  const row = await findRow(store, id)
  if (row) return row
  // An empty write stores nothing, but its result shows if the session ever existed.
  await sessions.append({ writes: [{ session: id, events: [] }], wakes: false })
  throw new AppError('session_not_found')
}

/** The session's row; undefined if it does not exist. */
export const findRow = async (store: Pick<Store, 'list'>, id: string): Promise<SessionRow | undefined> =>
  (await store.list({ ids: [id], limit: 1 })).items[0]
