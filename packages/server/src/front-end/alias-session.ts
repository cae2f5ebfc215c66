/**
 * Sessions by the ids that front ends make. Such an id is a name of its owner: equal ids of two owners are two sessions,
 * and an id that the owner does not have looks like an idle new chat.
 */
import { AppError, type SessionRow } from '@toolwire/core'
import { draftSession } from '@toolwire/session'
import { pinAgent, type SessionAgent } from '../agents/session-agent.ts'
import type { ServerContext } from '../context.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { toCreated, withAgent } from '../sessions/new-session.ts'

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/

const toAlias = (context: ServerContext, id: string): string =>
  idFromKey('alias', context.principal().owner, id)

/** The session of this name, or the session that has this id; undefined when the owner has neither. */
export async function findAlias(context: ServerContext, id: string): Promise<SessionRow | undefined> {
  const alias = toAlias(context, id)
  const ids = SESSION_ID.test(id) ? [alias, id] : [alias]
  const { items } = await context.store.list({ ids, limit: ids.length })
  return items.find(row => row.id === alias) ?? items[0]
}

export interface AliasRequest {
  readonly model?: string | undefined
  /** A name or id of an agent that the session is made with. */
  readonly agent?: string | undefined
}

/**
 * The session of this name, made if the owner has none. Throws `session_deleted`: a deleted name stays deleted; `conflict`
 * for a session that another agent has; `not_found` for an unknown agent.
 */
export async function adoptAlias(
  context: ServerContext,
  id: string,
  { model, agent: name }: AliasRequest,
): Promise<string> {
  const agent = name === undefined ? undefined : await pinAgent(context, name)
  const found = await findAlias(context, id)
  if (found) {
    await mustHave(context, found.id, agent)
    return found.id
  }
  const session = toAlias(context, id)
  const request = { model, metadata: { client_id: id } }
  const created = toCreated(context, agent ? withAgent(request, agent) : request, agent)
  try {
    await context.sessions.append(draftSession(session, created))
  } catch (error) {
    // Another request of the owner made it in the meantime.
    if (!AppError.is(error) || error.code !== 'session_exists') throw error
    await mustHave(context, session, agent)
  }
  return session
}

/** A request that names no agent takes every session as it is. */
async function mustHave(
  { sessions }: Pick<ServerContext, 'sessions'>,
  session: string,
  agent: SessionAgent | undefined,
): Promise<void> {
  if (!agent) return
  const { created } = await sessions.state(session)
  if (created?.agent?.id !== agent.pinned.id)
    throw new AppError('conflict', `This thread is not one of the agent ${agent.pinned.name}.`)
}
