/** The tools of all configured MCP servers, as they come and go. */
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { Tool } from '@toolwire/core'
import { type Connection, createConnection, type McpStatus } from './connection.ts'
import type { Backoff } from './link.ts'
import type { ListedTool } from './list-tools.ts'
import { createMcpTool } from './mcp-tool.ts'
import type { McpServerConfig } from './server-config.ts'
import { toolName, uniqueName } from './tool-name.ts'

export interface McpOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Who signs in at a server of this name, where that is needed. */
  readonly auth?: (server: string) => AuthProvider | undefined
  readonly backoff?: Partial<Backoff>
}

export interface McpTools {
  /** What is known at this moment; the servers start in the background. Order: as configured, then as listed. */
  readonly tools: () => readonly Tool[]
  readonly status: () => readonly McpStatus[]
  /** Called after every change of what `tools` or `status` answer. Returns what ends it. */
  readonly subscribe: (listener: () => void) => () => void
  /** Ends all connections and the processes of local servers. Idempotent. */
  readonly close: () => Promise<void>
}

/** Returns at once and never throws for a server. */
export function createMcpTools(options: McpOptions): McpTools {
  const listeners = new Set<() => void>()
  const connections = Object.entries(options.servers).map(([name, config]) =>
    createConnection({
      name,
      config,
      auth: options.auth?.(name),
      backoff: options.backoff,
      onChange() {
        for (const listener of listeners) listener()
      },
    }),
  )
  const gather = remembering(connections)
  return {
    tools: gather,
    status: () => connections.map(connection => connection.status()),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      await Promise.all(connections.map(connection => connection.close()))
    },
  }
}

/** The same tools again while no list has changed: their schemas are compiled once. */
function remembering(connections: readonly Connection[]): () => readonly Tool[] {
  let lists: readonly (readonly ListedTool[])[] = []
  let tools: readonly Tool[] = []
  return () => {
    const now = connections.map(connection => connection.tools())
    if (lists.length === now.length && now.every((list, i) => list === lists[i])) return tools
    const taken = new Set<string>()
    lists = now
    tools = connections.flatMap((connection, i) =>
      (now[i] ?? []).map(tool =>
        createMcpTool(uniqueName(toolName(connection.name, tool.name), taken), tool, connection),
      ),
    )
    return tools
  }
}
