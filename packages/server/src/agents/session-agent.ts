/** The agent of a new session: one version, with what the request changes for this session. */
import { AppError, type EventOf } from '@toolwire/core'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import { readOwnerPrompt } from '../sessions/owner-prompt.ts'
import { AgentChange, type AgentConfig, changeConfig } from './agent-config.ts'
import { findAgent, mustBeActive, readConfig } from './agent-store.ts'
import { checkConfig } from './check-config.ts'

const reference = z.string().min(1).max(128)

/** A name or an id, also `project:` and the name of a file; the current version when none is given. */
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

/** `workspace` is that of the session. Throws `not_found`, `conflict` for an archived agent, and like `checkConfig`. */
export async function pinAgent(
  context: ServerContext,
  body: z.output<typeof SessionAgentBody>,
  workspace?: string,
): Promise<SessionAgent> {
  const { records } = context
  const wanted: AgentReference = typeof body === 'string' ? { id: body } : body
  if (wanted.id.startsWith(PROJECT)) return await pinFile(context, wanted, workspace)
  if (!records) throw new AppError('not_found', 'This server keeps no agents.')
  const agent = await findAgent(records, context.principal().owner, wanted.id)
  mustBeActive(agent)
  const found = await readConfig(records, agent, wanted.version)
  const config = wanted.overrides ? changeConfig(found.config, wanted.overrides) : found.config
  // The mode of a version needs the scope of its author and of the one who starts it.
  checkConfig(context, config)
  const { version, sha256 } = found.version
  return { pinned: { id: agent.id, name: agent.name, version, sha256, resolved: config }, config }
}

type AgentReference = Exclude<z.output<typeof SessionAgentBody>, string>

const PROJECT = 'project:'

/** The file as it is now: its hash is its version. The words follow those of the server. */
async function pinFile(
  context: ServerContext,
  { id, version, overrides }: AgentReference,
  workspace: string | undefined,
): Promise<SessionAgent> {
  if (version !== undefined) throw new AppError('bad_request', 'agent.version: files have no numbers')
  const { records, ports, principal } = context
  const folder = chooseWorkspace(context, workspace)
  const { trusted = [] } = records ? await readOwnerPrompt(records, principal().owner) : {}
  const name = id.slice(PROJECT.length)
  const file = await ports.projectAgents?.find(folder, trusted, name)
  if (!file) throw new AppError('not_found', 'No such agent in a trusted file of this folder.')
  const { sha256, description, system, tools, max_turns } = file
  const own: AgentConfig = {
    description,
    append_system: system,
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(max_turns === undefined ? {} : { limits: { max_turns } }),
  }
  const config = overrides ? changeConfig(own, overrides) : own
  checkConfig(context, config)
  return { pinned: { id, name, version: 1, sha256, resolved: config }, config }
}
