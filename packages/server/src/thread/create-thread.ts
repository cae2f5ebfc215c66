/** A new thread, with the server's defaults and what its first message asks for. */

import { AppError, type EventOf } from '@toolwire/core'
import type { ThreadMessageCommand } from '@toolwire/wire'
import { checkModels } from '../check-models.ts'
import { chooseWorkspace } from '../choose-workspace.ts'
import { defaultModel } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { idFromKey } from '../id-from-key.ts'
import { isSameInput } from '../same-input.ts'

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
  const { config } = context
  const { setup, input } = command
  checkModels(config, input)
  const id = key === undefined ? context.ids.uuid() : idFromKey('thread', context.principal().owner, key)
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: chooseWorkspace(context),
    model: input.model ?? defaultModel(config),
    tools: [...config.toolNames],
    permission_mode: config.permissionMode,
    ...(setup.system === undefined ? {} : { system: setup.system }),
    ...(setup.metadata === undefined ? {} : { metadata: setup.metadata }),
  }
  const labels = { workspace: created.cwd, model: created.model }
  const [answer] = await context.store.append([
    { session: id, create: true, events: [created], state: 'idle', index: { labels } },
  ])
  if (answer && 'missing' in answer) throw new AppError('session_deleted')
  if (answer && 'head' in answer) return id
  if (key === undefined) throw new AppError('session_exists')
  await mustBeSame(context, id, setup)
  return id
}

/** What the message itself asks for is compared where it is appended. */
async function mustBeSame(
  context: ServerContext,
  id: string,
  setup: ThreadMessageCommand['setup'],
): Promise<void> {
  const [rec] = await context.store.read(id, 0, 1)
  const ev = rec?.ev
  const { system, metadata } = ev?.type === 'session.created' ? ev : {}
  if (!isSameInput([system, metadata], [setup.system, setup.metadata]))
    throw new AppError('conflict', 'This Idempotency-Key was used for a thread with other options.')
}
