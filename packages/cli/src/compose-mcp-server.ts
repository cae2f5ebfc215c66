/** This server as an MCP server: what the configuration offers to other hosts. */
import type { Offer } from '@toolwire/mcp/serve'
import type { McpEndpoint, McpServerPort } from '@toolwire/server'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'
import { VERSION } from './version.ts'

/** Undefined without `mcpServe`. Throws ExitError for an agent that is not configured. */
export async function composeMcpServer(config: Config): Promise<McpServerPort | undefined> {
  if (!config.mcpServe) return undefined
  const offer = toOffer(config, config.mcpServe)
  // The protocol is large: it is loaded for those who serve it.
  const { createHttpEndpoint } = await import('@toolwire/mcp/serve')
  return { open: (host): McpEndpoint => createHttpEndpoint({ host, offer, version: VERSION }) }
}

/** Throws ExitError for an agent that is not configured. */
export function toOffer(
  { agents: { types = {} } }: Config,
  { tools, agents }: NonNullable<Config['mcpServe']>,
): Offer {
  return {
    tools,
    agents: agents.map(name => {
      const type = Object.hasOwn(types, name) ? types[name] : undefined
      if (!type)
        throw new ExitError(
          'usage',
          `mcpServe.agents names ${JSON.stringify(name)}, but agents.types has no such agent.`,
        )
      const { description, ...settings } = type
      return { name, description, settings }
    }),
  }
}
