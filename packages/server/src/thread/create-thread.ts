/** A new thread, with the server's defaults and what its first message asks for. */

import { AppError, type EventOf, type SessionEvent } from '@toolwire/core'
import { draftSession, isSameInput } from '@toolwire/session'
import type { ThreadMessageCommand } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { checkModels } from '../sessions/check-models.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import { defaultModel } from '../sessions/default-model.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { toPromptFields } from '../sessions/session-prompt.ts'

/**
 * Returns the session's id. With a key the id is made from it, so that a repeated request
 * finds the thread that the first one made. Throws `session_deleted`, `unknown_model`, `missing_key`,
 * and `conflict` for a key whose thread was asked for in another way.
 */
export async function createThread(
  context: ServerContext,
  command: ThreadMessageCommand,
  key: string | undefined,
): Promise<string> {
  const { settings } = context
  const { setup, input } = command
  checkModels(context, input)
  const id = key === undefined ? context.ids.uuid() : idFromKey('thread', context.principal().owner, key)
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: chooseWorkspace(context),
    model: input.model ?? defaultModel(context),
    tools: [...settings.toolNames],
    permission_mode: settings.permissionMode,
    ...(settings.effort === undefined ? {} : { effort: settings.effort }),
    ...toPromptFields(setup),
    ...(setup.metadata === undefined ? {} : { metadata: setup.metadata }),
  }
  const compare = (recorded: SessionEvent) => compareSetups(recorded, setup)
  await context.sessions.append({ ...draftSession(id, created), ...(key === undefined ? {} : { compare }) })
  return id
}

/** The settings of the message are compared when it is appended. */
function compareSetups(recorded: SessionEvent, setup: ThreadMessageCommand['setup']): AppError | undefined {
  const { system, metadata } = recorded.type === 'session.created' ? recorded : {}
  if (isSameInput([system, metadata], [setup.system || undefined, setup.metadata])) return undefined
  return new AppError('conflict', 'This Idempotency-Key was used for a thread with other options.')
}
