/** A new thread, with the server's defaults and what its first message asks for. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { AppError, type EventOf } from '@toolwire/core'
import type { ThreadMessageCommand } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'

/**
 * Returns the session's id. With a key the id is made from it, so that a repeated request
 * finds the thread that the first one made. Throws `session_deleted`, `unknown_model`, `missing_key`.
 */
export async function createThread(
  context: ServerContext,
  command: ThreadMessageCommand,
  key: string | undefined,
): Promise<string> {
  const { config } = context
  const { setup, input } = command
  if (input.model !== undefined) config.checkModel(input.model)
  const id = key === undefined ? context.ids.uuid() : toUuid(key)
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: resolve(config.workspace),
    model: input.model ?? config.model,
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
  if (key === undefined && answer && !('head' in answer)) throw new AppError('session_exists')
  return id
}

function toUuid(key: string): string {
  const hex = createHash('sha256').update(`thread:${key}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
