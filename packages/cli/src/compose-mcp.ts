/** The MCP servers of the configuration, with their sign-ins in the data folder. */
import { join } from 'node:path'
import { createMcpTools, type McpTools, parseMcpServers } from '@toolwire/mcp'
import type { Blueprint } from './blueprint.ts'
import { ExitError } from './exit.ts'

export interface ProductMcp extends McpTools {
  /** The address of this server, once known: browsers return there from a sign-in. */
  readonly listensAt: (url: string) => void
}

type McpParts = Pick<Blueprint, 'config' | 'machineEnv' | 'report' | 'publicUrl'>

/** Throws ExitError for an entry that cannot work. The servers are started in the background. */
export function composeMcp({ config, machineEnv, report, publicUrl }: McpParts): ProductMcp {
  const { servers, problems } = parseMcpServers(config.mcpServers, machineEnv)
  if (problems[0] !== undefined) throw new ExitError('usage', problems[0])
  let origin = publicUrl ?? (config.port === 0 ? undefined : originOf(config.host, config.port))
  const mcp = createMcpTools({
    servers,
    folder: join(config.data, 'mcp'),
    roots: [config.workspace ?? process.cwd()],
    redirectUrl() {
      if (origin === undefined) throw new Error('The server does not listen yet.')
      return `${origin}/api/mcp/callback`
    },
    onSignIn(server, url) {
      report(`To sign in at the MCP server ${server}, open ${url}`)
    },
  })
  return {
    ...mcp,
    listensAt(url) {
      origin = publicUrl ?? url
    },
  }
}

/** A server that listens everywhere is reached by its own name from the machine it runs on. */
const originOf = (host: string, port: number): string =>
  `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
