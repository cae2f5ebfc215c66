/** Threads are sessions: by the session's id, or by the number that its id begins with. */
import { AppError, type SessionRow, threadPrefix } from '@toolwire/core'
import type { ThreadRef } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { findSession } from '../sessions/find-session.ts'

/** Throws `session_not_found` or `session_deleted`. */
export async function findThread(context: ServerContext, ref: ThreadRef): Promise<SessionRow> {
  if (typeof ref === 'string') return await findSession(context, ref)
  const idPrefix = threadPrefix(ref)
  if (idPrefix === undefined) throw new AppError('session_not_found')
  const { items } = await context.store.list({ idPrefix, limit: 1 })
  const [row] = items
  if (!row) throw new AppError('session_not_found')
  return row
}

/** A thread as a path or a query names it: digits are its number. */
export const toThreadRef = (text: string): ThreadRef => (/^\d{1,15}$/.test(text) ? Number(text) : text)
