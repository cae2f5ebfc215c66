/**
 * The part of `@anthropic-ai/claude-agent-sdk` that the engine uses, described by shape: the
 * package is an optional peer, so nothing of it is imported before a session needs it.
 */
import type { ChildProcess } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { AppError } from '@toolwire/core'

export const SDK_PACKAGE = '@anthropic-ai/claude-agent-sdk'
/** The release that the engine's suite runs against. */
export const SDK_VERSION = '0.3.325'

/** A JSON-RPC message of the Model Context Protocol. */
export type RpcMessage = Readonly<Record<string, unknown>>

/** The transport of an in-process MCP server to the child. */
export interface RpcTransport {
  onmessage?: (message: RpcMessage) => void
  readonly send: (message: RpcMessage) => Promise<void>
}

export type PermissionAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: 'deny'; readonly message: string }

export type AskPermission = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  context: {
    readonly toolUseID: string
    readonly title?: string
    readonly decisionReason?: string
    /** Set when an agent inside a call asks. */
    readonly agentID?: string
  },
) => Promise<PermissionAnswer>

export interface SpawnRequest {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface UserMessage {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: readonly unknown[] }
  readonly parent_tool_use_id: null
}

export interface QueryOptions {
  readonly includePartialMessages: true
  readonly tools: readonly string[]
  readonly mcpServers: Readonly<Record<string, unknown>>
  readonly strictMcpConfig: true
  readonly settingSources: readonly string[]
  readonly permissionMode: 'default'
  readonly canUseTool: AskPermission
  readonly spawnClaudeCodeProcess: (request: SpawnRequest) => ChildProcess
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly model: string
  readonly systemPrompt?: string
  readonly pathToClaudeCodeExecutable?: string
  readonly sessionId?: string
  readonly persistSession?: boolean
  readonly resume?: string
  readonly sessionStore?: {
    readonly append: () => Promise<void>
    readonly load: () => Promise<readonly unknown[]>
  }
}

export interface AgentSdk {
  query(request: {
    readonly prompt: AsyncIterable<UserMessage>
    readonly options: QueryOptions
  }): AsyncIterable<unknown>
}

const INSTALL_HINT =
  `The engine claude-agent-sdk needs the package ${SDK_PACKAGE}, which is not installed. ` +
  `Install it beside Toolwire (npm install ${SDK_PACKAGE}@${SDK_VERSION}; about 414 MB, under its vendor's own licence), ` +
  'or use the native engine.'

/**
 * Loads the package: from `folder` (one that holds a node_modules, or the package itself) or the way
 * Node resolves it from here. Throws `model_unavailable` with what to do when it cannot be loaded.
 */
export async function loadAgentSdk(folder?: string): Promise<AgentSdk> {
  const tried = folder === undefined ? [SDK_PACKAGE] : inFolder(folder)
  const errors: unknown[] = []
  for (const specifier of tried) {
    try {
      const loaded: unknown = await import(specifier)
      if (isSdk(loaded)) return loaded
      errors.push(new Error(`${specifier} has no query function`))
    } catch (error) {
      errors.push(error)
    }
  }
  const why = errors.map(error => (error instanceof Error ? error.message : String(error)))
  throw new AppError('model_unavailable', INSTALL_HINT, { why })
}

const inFolder = (folder: string): readonly string[] =>
  [`${folder}/node_modules/${SDK_PACKAGE}/sdk.mjs`, `${folder}/sdk.mjs`].map(path => pathToFileURL(path).href)

const isSdk = (loaded: unknown): loaded is AgentSdk =>
  typeof loaded === 'object' && loaded !== null && 'query' in loaded && typeof loaded.query === 'function'
