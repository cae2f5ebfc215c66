/** The tools of the product: those it brings, those of MCP servers, and the rules and hooks around them. */
import { join } from 'node:path'
import type { Tool } from '@toolwire/core'
import {
  createBuiltinTools,
  createMcpTools,
  createToolSystem,
  parseMcpServers,
  type ServedTools,
} from '@toolwire/runtime'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'

export interface ToolEnvironment {
  readonly TAVILY_API_KEY?: string | undefined
  readonly TAVILY_BASE_URL?: string | undefined
  readonly SEARXNG_URL?: string | undefined
}

export interface ProductTools {
  /** Asked anew every time: servers' tools come and go. */
  readonly list: () => readonly Tool[]
  readonly system: ServedTools
  /** Ends the processes of MCP servers. */
  readonly close: () => Promise<void>
}

/** Throws ExitError for settings that cannot work. MCP servers are started in the background. */
export function composeTools(config: Config, env: ToolEnvironment, artifacts: string): ProductTools {
  const builtin = createBuiltinTools({
    memory: { folder: join(config.data, 'memory') },
    architect: {},
    web_search: {
      tavily: env.TAVILY_API_KEY ? { api_key: env.TAVILY_API_KEY, base_url: env.TAVILY_BASE_URL } : undefined,
      searxng: env.SEARXNG_URL ? { url: env.SEARXNG_URL } : undefined,
      aliases: ['tavily_search'],
    },
  })
  const { servers, problems } = parseMcpServers(config.mcpServers, { ...process.env, ...env })
  if (problems[0] !== undefined) throw new ExitError('usage', problems[0])
  const mcp = createMcpTools({ servers })
  const list = (): readonly Tool[] => [...builtin, ...mcp.tools()]
  return { list, system: createSystem(config, list, artifacts), close: () => mcp.close() }
}

function createSystem(config: Config, tools: () => readonly Tool[], artifacts: string): ServedTools {
  try {
    return createToolSystem({
      tools,
      artifacts,
      permissions: { rules: config.permissions, source: 'configuration' },
      hooks: config.hooks,
      expiry: { approval_ms: config.approvalTimeoutMs, client_ms: config.clientToolTimeoutMs },
    })
  } catch (error) {
    // A rule or a hook of the configuration file; the message names it.
    throw new ExitError('usage', error instanceof Error ? error.message : String(error))
  }
}
