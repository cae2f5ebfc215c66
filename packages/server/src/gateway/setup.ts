/** Decides where each tool runs: a tool of the request belongs to its client, unless the server is to run it. */
import { AppError, readHostedSearch, type ToolSpec, type Warning } from '@toolwire/core'
import { createWarnings, type GatewayRequest } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { defaultModel } from '../sessions/default-model.ts'
import type { Caller } from './caller.ts'
import { fingerprint } from './chain.ts'
import type { Setup } from './gateway-context.ts'

const MAX_NAME = 128
/** Models reject with it, before they call the provider, a request that would not arrive as sent. */
const REFUSE = 'refuse_changes'

/** Throws `unknown_model`, `missing_key`, or `bad_request` for a server tool that does not exist, or a strict request. */
export function toSetup(
  request: GatewayRequest,
  caller: Caller,
  context: ServerContext,
  protocol: string,
): Setup {
  const { settings, ports } = context
  const model = request.model ?? defaultModel(context)
  ports.checkModel(model)
  const named = serverTools(
    caller.server_tools ?? request.server_tools ?? settings.gatewayTools,
    settings.toolNames,
  )
  const server_tools = withSearch(named, request.options)
  const client_tools = request.client_tools
    .filter(tool => !server_tools.includes(tool.name))
    // Once streamed a call cannot be taken back, so its client gets it as it is.
    .map(tool => ({ ...tool, as_is: true }))
  const warnings = warnReplaced(request.client_tools, server_tools, caller)
  const { limits } = caller
  for (const id of limits.fallback_models ?? []) ports.checkModel(id)
  const asked = { ...identifyOwner(context), ...request.options }
  const options = caller.strict ? { ...asked, [REFUSE]: true } : asked
  return { protocol, model, client_tools, server_tools, options, limits, warnings }
}

/** Lets providers distinguish the owners of a server without their names. */
function identifyOwner(context: ServerContext): Setup['options'] {
  const { owner, unbounded } = context.principal()
  return unbounded ? {} : { safety_identifier: fingerprint(['owner', owner]) }
}

/** With the tool for the web search that the client asks for. */
function withSearch(names: readonly string[], options: GatewayRequest['options']): readonly string[] {
  const tool = readHostedSearch(options)?.tool
  return tool === undefined || names.includes(tool) ? names : [...names, tool]
}

/** No server tools but the search that the client asked for: it may leave, and nothing is lost. */
export const isPure = ({ server_tools, options }: Pick<Setup, 'server_tools' | 'options'>): boolean =>
  server_tools.every(name => name === readHostedSearch(options)?.tool)

function serverTools(names: readonly string[], toolNames: readonly string[]): readonly string[] {
  if (names.includes('*')) return toolNames
  const wanted = names.filter(name => name !== '' && name !== 'none')
  const unknown = wanted.find(name => !toolNames.includes(name))
  if (unknown !== undefined)
    throw new AppError(
      'bad_request',
      `x-server-tools: this server has no tool ${JSON.stringify(unknown.slice(0, MAX_NAME))}`,
    )
  return wanted
}

/** Two requests with the same fingerprint can share one run. Marks of a cache move between requests and change nothing. */
export function fingerprintSetup({ model, client_tools, options }: Setup): string {
  const { cache_ttl: _, responses: __, ...settings } = toSettings(options)
  return fingerprint([model, client_tools, settings])
}

/** The options that the request itself asks for. */
export function toSettings({ [REFUSE]: _, ...settings }: Setup['options']): Setup['options'] {
  return settings
}

/** Throws `bad_request` when the request is strict. */
function warnReplaced(
  tools: readonly ToolSpec[],
  server_tools: readonly string[],
  { strict }: Caller,
): readonly Warning[] {
  const warnings = createWarnings(strict)
  for (const { name } of tools)
    if (server_tools.includes(name))
      warnings.add(
        'tool_replaced',
        `tools: the server runs ${JSON.stringify(name)} itself; its own definition replaces the one in the request.`,
      )
  return warnings.list
}
