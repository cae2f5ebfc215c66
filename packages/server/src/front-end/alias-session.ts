/**
 * Sessions by the ids that front ends make. Such an id is a name of its owner: equal ids of two owners are two sessions,
 * and an id that the owner does not have looks like an idle new chat.
 */
import { AppError, type EventOf, type SessionRow } from '@toolwire/core'
import { draftSession } from '@toolwire/session'
import type { ServerContext } from '../context.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import { defaultModel } from '../sessions/default-model.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { toPromptFields } from '../sessions/session-prompt.ts'

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

/** The session of this name, made if the owner has none. Throws `session_deleted`: a deleted name stays deleted. */
export async function adoptAlias(
  context: ServerContext,
  id: string,
  model: string | undefined,
): Promise<string> {
  const found = await findAlias(context, id)
  if (found) return found.id
  const session = toAlias(context, id)
  const { settings } = context
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: chooseWorkspace(context),
    model: model ?? defaultModel(context),
    tools: [...settings.toolNames],
    permission_mode: settings.permissionMode,
    ...(settings.effort === undefined ? {} : { effort: settings.effort }),
    ...toPromptFields({}),
    metadata: { client_id: id },
  }
  try {
    await context.sessions.append(draftSession(session, created))
  } catch (error) {
    // Another request of the owner made it in the meantime.
    if (!AppError.is(error) || error.code !== 'session_exists') throw error
  }
  return session
}
