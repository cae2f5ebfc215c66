/** Checks that what an agent names exists, and that its author may choose it. */
import { AppError } from '@toolwire/core'
import { checkMode } from '../access/permission-modes.ts'
import type { ServerContext } from '../context.ts'
import type { AgentConfig } from './agent-config.ts'

/** Throws `unknown_model`, `missing_key`, `forbidden`, and `bad_request` for an unknown tool. */
export function checkConfig(context: ServerContext, config: AgentConfig): void {
  const { ports, settings, principal } = context
  for (const model of [config.model, ...(config.fallback_models ?? [])])
    if (model !== undefined) ports.checkModel(model)
  checkMode(principal(), config.permission_mode, settings.permissionMode)
  const known = new Set([...settings.toolNames, ...ports.listTools().map(tool => tool.name)])
  // Tools of MCP servers come and go.
  const unknown = config.tools?.find(
    name => !known.has(name) && !name.endsWith('*') && !name.startsWith('mcp__'),
  )
  if (unknown !== undefined)
    throw new AppError('bad_request', `tools: there is no tool ${JSON.stringify(unknown)}`)
}
