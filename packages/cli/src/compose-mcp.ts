/** The MCP servers of the configuration, with their sign-ins in the data folder. */
import { join } from 'node:path'
import { createMcpTools, type McpTools, parseMcpServers } from '@toolwire/mcp'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'
import { printError } from './terminal.ts'

export interface ProductMcp extends McpTools {
  /** The address of this server, once known: browsers return there from a sign-in. */
  readonly listensAt: (url: string) => void
}

/** Throws ExitError for an entry that cannot work. The servers are started in the background. */
export function composeMcp(config: Config, env: Readonly<Record<string, string | undefined>>): ProductMcp {
  const { servers, problems } = parseMcpServers(config.mcpServers, env)
  if (problems[0] !== undefined) throw new ExitError('usage', problems[0])
  let origin = config.port === 0 ? undefined : originOf(config.host, config.port)
  const mcp = createMcpTools({
    servers,
    folder: join(config.data, 'mcp'),
    roots: [config.workspace ?? process.cwd()],
    redirectUrl() {
      if (origin === undefined) throw new Error('The server does not listen yet.')
      return new URL('/api/mcp/callback', origin).href
    },
    onSignIn(server, url) {
      printError(`To sign in at the MCP server ${server}, open ${url}\n`)
    },
  })
  return {
    ...mcp,
    listensAt(url) {
      origin = url
    },
  }
}

/** A server that listens everywhere is reached by its own name from the machine it runs on. */
const originOf = (host: string, port: number): string =>
  `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
