/** The tools of all configured MCP servers, as they come and go. */
import { join } from 'node:path'
import type { Tool } from '@toolwire/core'
import { type Connection, createConnection, type McpStatus } from './connection.ts'
import { deferMany } from './defer-many.ts'
import type { Backoff } from './link.ts'
import type { ListedTool } from './list-tools.ts'
import { createMcpTool } from './mcp-tool.ts'
import { createCredentialStore } from './oauth/credentials.ts'
import { createSignIn, type SignIn } from './oauth/sign-in.ts'
import { createPromptTools } from './prompt-tools.ts'
import { createResourceTools } from './resource-tools.ts'
import type { McpServerConfig } from './server-config.ts'
import { createServerPages, type ServerPages, type ToolPlace } from './server-pages.ts'
import { toRootUri } from './source.ts'
import { createStartedServers } from './started-servers.ts'
import { toolName, uniqueName } from './tool-name.ts'

export interface McpOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Stores sign-ins and the processes of local servers; in memory if absent. */
  readonly folder?: string
  /** The address that browsers return to after a sign-in; without it signing in is not possible. */
  readonly redirectUrl?: () => string
  /** Called with the address that a user has to open to sign in at a server. */
  readonly onSignIn?: (server: string, url: string) => void
  /** Folders for servers that ask outside any call. */
  readonly roots?: readonly string[]
  /** With more tools than this, models only get a tool that finds them. */
  readonly defer_above?: number
  readonly backoff?: Partial<Backoff>
}

export interface McpTools {
  /** The currently known tools; the servers start in the background. Order: as configured, then as listed. */
  readonly tools: () => readonly Tool[]
  readonly status: () => readonly McpStatus[]
  /** Called after every change of what `tools` or `status` answer. Returns what ends it. */
  readonly subscribe: (listener: () => void) => () => void
  /**
   * Completes a sign-in with the browser's query: the server's name, or undefined if no open sign-in matches.
   * Throws if the authorization server rejects it.
   */
  readonly finishSignIn: (query: URLSearchParams) => Promise<string | undefined>
  /** Removes the sign-in at a server and reconnects. False for an unknown server. */
  readonly signOut: (server: string) => Promise<boolean>
  /** Pages that servers want to be shown beside their tools. */
  readonly pages: ServerPages
  /** Ends all connections and the processes of local servers. Idempotent. */
  readonly close: () => Promise<void>
}

/** Returns at once and never throws for a server. */
export function createMcpTools(options: McpOptions): McpTools {
  const listeners = new Set<() => void>()
  const { folder } = options
  const started = folder === undefined ? undefined : createStartedServers(join(folder, 'processes'))
  const sweeping = started?.sweep()
  const signIns = createSignIns(options)
  const connections = Object.entries(options.servers).map(([name, config]) =>
    createConnection({
      name,
      config,
      signIn: signIns.get(name),
      backoff: options.backoff,
      started,
      roots: options.roots?.map(toRootUri),
      onChange() {
        for (const listener of listeners) listener()
      },
    }),
  )
  const known = remembering(connections, options.defer_above)
  const retry = (name: string): void => connections.find(one => one.name === name)?.retry()
  return {
    tools: () => known().tools,
    pages: createServerPages(() => known().places),
    status: () => connections.map(connection => connection.status()),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async finishSignIn(query) {
      for (const [name, signIn] of signIns)
        if (await signIn.finish(query).finally(() => retry(name))) return name
      return undefined
    },
    async signOut(server) {
      const signIn = signIns.get(server)
      await signIn?.forget()
      retry(server)
      return signIn !== undefined
    },
    async close() {
      await Promise.all([sweeping, ...connections.map(connection => connection.close())])
    },
  }
}

function createSignIns({ servers, folder, redirectUrl, onSignIn }: McpOptions): ReadonlyMap<string, SignIn> {
  const store = createCredentialStore(folder === undefined ? undefined : join(folder, 'sign-ins'))
  const signIns = new Map<string, SignIn>()
  if (!redirectUrl) return signIns
  for (const [server, config] of Object.entries(servers)) {
    if ((config.type !== 'http' && config.type !== 'sse') || config.oauth === false) continue
    // A configured key replaces the sign-in.
    if (Object.keys(config.headers).some(name => name.toLowerCase() === 'authorization')) continue
    const onUrl = (url: string): void => onSignIn?.(server, url)
    signIns.set(server, createSignIn({ server, config, store, redirectUrl, onUrl }))
  }
  return signIns
}

interface KnownTools {
  readonly tools: readonly Tool[]
  /** The servers of tools, by their names here. */
  readonly places: ReadonlyMap<string, ToolPlace>
}

/** The same tools again while no list has changed: their schemas are compiled once. */
function remembering(connections: readonly Connection[], above: number | undefined): () => KnownTools {
  let lists: readonly unknown[] = []
  let known: KnownTools = { tools: [], places: new Map() }
  const resources = createResourceTools(connections)
  const prompts = createPromptTools(connections)
  return () => {
    const listed = connections.map(connection => connection.tools())
    const status = connections.map(connection => connection.status())
    const offers = [status.some(one => one.resources), status.some(one => one.prompts)]
    const now: readonly unknown[] = [...listed, ...offers]
    if (lists.length === now.length && now.every((list, i) => list === lists[i])) return known
    lists = now
    const places = nameTools(connections, listed)
    const make = (forModel: boolean): readonly Tool[] =>
      [...places].flatMap(([name, { tool, connection }]) =>
        (tool.ui?.for_model ?? true) === forModel ? [createMcpTool(name, tool, connection)] : [],
      )
    // Those for pages alone are not among what models can find.
    const tools = [...deferMany(make(true), above), ...make(false)]
    known = { tools: [...tools, ...(offers[0] ? resources : []), ...(offers[1] ? prompts : [])], places }
    return known
  }
}

function nameTools(
  connections: readonly Connection[],
  listed: readonly (readonly ListedTool[])[],
): ReadonlyMap<string, ToolPlace> {
  const taken = new Set<string>()
  return new Map(
    connections.flatMap((connection, i) =>
      (listed[i] ?? []).map(tool => [
        uniqueName(toolName(connection.name, tool.name), taken),
        { connection, tool },
      ]),
    ),
  )
}
