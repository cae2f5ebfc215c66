/** Services that the server's routes get from the rest of the product: models, tools, files, keys. Without a port its routes do not exist. */
import type { FileHandle } from 'node:fs/promises'
import type { Effort, ModelPart, ModelRequest, SessionState, TokenCount, ToolSpec } from '@toolwire/core'
import type { FilePort } from './ports/file-port.ts'
import type { McpPort } from './ports/mcp-port.ts'
import type { McpServerPort } from './ports/mcp-server-port.ts'
import type { MemoryPort } from './ports/memory-port.ts'
import type { ProjectAgentPort } from './ports/project-agent-port.ts'
import type { ProviderPort } from './ports/provider-port.ts'
import type { SettingsPort } from './ports/settings-port.ts'
import type { SkillPort } from './ports/skill-port.ts'
import type { InspectedFolder } from './sessions/owner-prompt.ts'

export interface ServerPorts {
  /** In place of `model`: which one is the default may change with the keys of providers. */
  readonly currentModel?: () => string
  /** Ids that GET /v1/models lists beside the default model. */
  readonly listModels: () => readonly string[]
  /** Known facts of a model, for GET /api/models; nothing is assumed of an unknown one. */
  readonly describeModel: (id: string) => ModelFacts
  /** The tools that GET /api/tools lists. */
  readonly listTools: () => readonly ListedTool[]
  /** Looks for tools that came or went, before they are listed. */
  readonly refreshTools?: () => Promise<void>
  /** Problems of users' own tools, one sentence each. */
  readonly toolProblems?: () => readonly string[]
  /** The rules that count in a session, and taking them back. Without it their routes do not exist. */
  readonly permissions?: PermissionPort
  /** True for a path in one of the roots, after links on both sides were followed; for none when absent. */
  readonly isInsideRoots: (path: string, roots: readonly string[]) => boolean
  /** Opens a regular file and rejects for everything else, links included; opens nothing when absent. */
  readonly openFile: (path: string) => Promise<FileHandle>
  /** The file that may hold the full output of a call. Without it that route does not exist. */
  readonly artifactFile?: (session: string, call: string) => string
  /** True if the runtime's models can make a tried call; without it that route does not exist. */
  readonly canTry?: boolean
  /**
   * Explains if a call would be allowed, asked about or denied; runs nothing. Without it the route does not exist.
   */
  readonly explainPermission?: (request: ExplainRequest) => Promise<Readonly<Record<string, unknown>>>
  /** Takes back what the session's tools wrote to files. Without it the route does not exist. */
  readonly undo?: (session: string, request: UndoRequest) => Promise<Readonly<Record<string, unknown>>>
  /** The files of workspaces, with the rules of Read. Without it their routes do not exist. */
  readonly files?: FilePort
  /** The instruction files of a folder. Without it no folder can be trusted. */
  readonly inspectInstructions?: (path: string) => Promise<InspectedFolder>
  /** Skills of folders. Without it their route does not exist. */
  readonly skills?: SkillPort
  /** Agents in files of folders. Without it sessions cannot begin as one of them. */
  readonly projectAgents?: ProjectAgentPort
  /** The MCP servers that this one uses. Without it their routes do not exist. */
  readonly mcp?: McpPort
  /** This server as an MCP server. Without it the route does not exist. */
  readonly mcpServer?: McpServerPort
  /** Notes that models keep. Without it the list is empty. */
  readonly memory?: MemoryPort
  /** Further settings for GET /api/settings. */
  readonly settings?: SettingsPort
  /** Keys of model providers, set at run time. Without it the routes list none. */
  readonly providers?: ProviderPort
  /** True if the caller may use the model. */
  readonly isAllowedModel: (id: string) => boolean
  /** Throws `unknown_model` or `missing_key` for a model that cannot run. */
  readonly checkModel: (id: string) => void
  /** Asks the model's provider how long a request is. Without it everything is estimated. */
  readonly countTokens?: (model: string, request: ModelRequest, signal: AbortSignal) => Promise<TokenCount>
  /** Asks a model outside of every session. Without it, suggestions are empty. */
  readonly askModel?: (model: string, request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>
  /** Engines that `metadata.engine` of a new session may name; throws `bad_request` or what is missing. */
  readonly checkEngine: (name: string) => Promise<void>
  /** Leases of the processes that serve the same data. Without it one that holds something up is given up after a minute. */
  readonly leases?: LeasePort
  /** True if another process runs what this one stores. Absent where this one runs it. */
  readonly hasWorker?: () => Promise<boolean>
}

export interface LeasePort {
  /** The name under which this process has its lease. */
  readonly self: () => string
  /** True if the lease of this node has expired; false for one that never had any. */
  readonly isLeaseExpired: (node: string) => Promise<boolean>
}

/** A tool as GET /api/tools lists it. */
export interface ListedTool extends ToolSpec {
  /** The effect of its calls, as the tool declares it; absent if unknown. */
  readonly effect?: 'reads' | 'changes' | 'depends' | 'asks'
  /** It warns that it destroys what it changes. */
  readonly destructive?: boolean
  /** Its server has a page to show beside its calls. */
  readonly page?: boolean
}

/** A permission rule as GET /api/permissions lists it. */
export interface ListedRule {
  readonly id: string
  readonly rule: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly source: string
  readonly revocable: boolean
  /** Applies until then; always if absent. */
  readonly expires_at?: string
}

export interface PermissionPort {
  readonly list: (session: SessionState) => Promise<readonly ListedRule[]>
  /** A rule of the session is taken back by forgetting the note that it names. */
  readonly revoke: (
    session: SessionState,
    id: string,
  ) => Promise<
    | { readonly type: 'revoked' | 'fixed'; readonly rule: ListedRule }
    | { readonly type: 'note'; readonly name: string; readonly rule: ListedRule }
    | { readonly type: 'unknown' }
  >
  /** Sets a rule, in place of the listed one that `replaces` names. Throws `bad_request` and `conflict`. */
  readonly set: (session: SessionState, wish: RuleInput, replaces?: string) => Promise<SetRule>
  /** The meaning of a rule, and its effect on these calls. */
  readonly rehearse: (request: RehearseRequest) => Promise<Readonly<Record<string, unknown>>>
}

interface RuleInput {
  readonly rule: string
  readonly decision: 'allow' | 'ask' | 'deny'
  /** For one session, or for all that work in its folder. */
  readonly scope: 'session' | 'project'
  /** Applies until then; permanent if absent. */
  readonly expires_at?: string
}

type SetRule =
  | {
      readonly type: 'set'
      readonly rule: ListedRule
      /** Complete only when these are in the session's log. */
      readonly notes: readonly { readonly name: string; readonly value: unknown }[]
      readonly replaced?: ListedRule
    }
  | { readonly type: 'fixed'; readonly rule: ListedRule }
  | { readonly type: 'unknown' }

export interface RehearseRequest {
  readonly session_id: string
  readonly session: SessionState
  readonly rule: string
  /** An allowance when absent. */
  readonly decision?: 'allow' | 'ask' | 'deny'
  readonly calls: readonly {
    readonly call_id: string
    readonly name: string
    readonly input: unknown
    /** The type of its agent, `main` for the session's own; absent if unknown. */
    readonly agent?: string
  }[]
  /** The directories that the asker may see; nothing else is looked at. Anywhere when absent. */
  readonly within?: readonly string[]
}

/** Facts of a model for front ends. Tokens; absent if unknown. */
interface ModelFacts {
  /** Context window: the tokens of one request with its response. */
  readonly context?: number
  readonly max_output?: number
  /** Its levels of effort, least first; empty when it cannot think. */
  readonly efforts?: readonly Effort[]
  /** Its provider searches the web for it when a client asks for that. */
  readonly web_search?: boolean
  /** US dollars per million tokens. */
  readonly price?: ModelPrice
  /** Source of the price. */
  readonly price_source?: 'user' | 'table' | 'catalog' | 'provider' | 'assumed'
}

interface ModelPrice {
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  readonly cache_write?: number
}

/** A call in a session's state, as POST /api/permissions/explain asks about it. */
export interface ExplainRequest {
  readonly session_id: string
  readonly session: SessionState
  readonly tool: string
  readonly input: unknown
  /** The kind of agent that would make it; the session's own when absent. */
  readonly agent?: string
  /** The directories that the asker may see; nothing else is looked at. Anywhere when absent. */
  readonly within?: readonly string[]
}

/** The scope of an undo: one call, one exchange, several exchanges, or everything. */
export type UndoRequest = { readonly dryRun: boolean; readonly paths?: readonly string[] } & (
  | { readonly call: string }
  | { readonly turn: string }
  | { readonly turns: readonly string[] }
  | { readonly session: true }
)

const DEFAULTS: ServerPorts = {
  listModels: () => [],
  isAllowedModel: () => true,
  describeModel: () => ({}),
  isInsideRoots: () => false,
  openFile: () => Promise.reject(new Error('This server opens no files.')),
  listTools: () => [],
  checkModel: () => {},
  checkEngine: async () => {},
}

export const resolvePorts = (ports: Partial<ServerPorts> = {}): ServerPorts => ({ ...DEFAULTS, ...ports })
