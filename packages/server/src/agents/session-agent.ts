/** The agent of a new session: one version, with what the request changes for this session. */
import { AppError, type EventOf } from '@toolwire/core'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { AgentChange, type AgentConfig, changeConfig } from './agent-config.ts'
import { findAgent, mustBeActive, readConfig } from './agent-store.ts'
import { checkConfig } from './check-config.ts'

const reference = z.string().min(1).max(128)

/** A name or an id; the current version when none is given. */
export const SessionAgentBody = z.union([
  reference,
  z.strictObject({
    id: reference,
    version: z.number().int().positive().optional(),
    overrides: AgentChange.optional(),
  }),
])

export interface SessionAgent {
  /** For the opening event. */
  readonly pinned: NonNullable<EventOf<'session.created'>['agent']>
  readonly config: AgentConfig
}

/** Throws `not_found`, `conflict` for an archived agent, and like `checkConfig`. */
export async function pinAgent(
  context: ServerContext,
  body: z.output<typeof SessionAgentBody>,
): Promise<SessionAgent> {
  const { records } = context
  if (!records) throw new AppError('not_found', 'This server keeps no agents.')
  const wanted = typeof body === 'string' ? { id: body } : body
  const agent = await findAgent(records, context.principal().owner, wanted.id)
  mustBeActive(agent)
  const found = await readConfig(records, agent, wanted.version)
  const config = wanted.overrides ? changeConfig(found.config, wanted.overrides) : found.config
  // The mode of a version needs the scope of its author and of the one who starts it.
  checkConfig(context, config)
  const { version, sha256 } = found.version
  return { pinned: { id: agent.id, name: agent.name, version, sha256, resolved: config }, config }
}
