/** Settings of the HTTP server. `resolveConfig` is the only place that knows the defaults. */
import type { FileHandle } from 'node:fs/promises'
import type { Effort, ModelRequest, RunLimits, SessionState, TokenCount, ToolSpec } from '@toolwire/core'
import type { InspectedFolder } from './owner-prompt.ts'
import type { FilePort } from './ports/file-port.ts'
import type { McpPort } from './ports/mcp-port.ts'
import type { MemoryPort } from './ports/memory-port.ts'
import type { ProviderPort } from './ports/provider-port.ts'
import type { SettingsPort } from './ports/settings-port.ts'

export interface ServerConfig {
  /** Address to bind; loopback by default. Another address needs `apiKeys`. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly apiKeys: readonly string[]
  /** Further names under which this server is reached, without port. */
  readonly allowedHosts: readonly string[]
  /** Origins whose pages may call this server, exactly as browsers send them. */
  readonly allowedOrigins: readonly string[]
  /** Defaults of new sessions. */
  readonly model: string
  /** In place of `model`: which one is the default may change with the keys of providers. */
  readonly currentModel?: () => string
  readonly workspace: string
  readonly permissionMode: string
  /** Effort of thinking that models are asked for in new sessions; they are asked for nothing when absent. */
  readonly effort?: Effort
  readonly toolNames: readonly string[]
  /** Server tools that requests of the vendor wires have run on the server without asking for it. */
  readonly gatewayTools: readonly string[]
  /** Ids that GET /v1/models lists beside the default model. */
  readonly listModels: () => readonly string[]
  /** Known facts of a model, for GET /api/models; nothing is assumed of an unknown one. */
  readonly describeModel: (id: string) => ModelFacts
  /** Folders under which a request may choose its workspace; none means any. */
  readonly workspaceRoots: readonly string[]
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
  /** The MCP servers that this one uses. Without it their routes do not exist. */
  readonly mcp?: McpPort
  /** Notes that models keep. Without it the list is empty. */
  readonly memory?: MemoryPort
  /** Further settings for GET /api/settings. */
  readonly settings?: SettingsPort
  /** Keys of model providers, set at run time. Without it the routes list none. */
  readonly providers?: ProviderPort
  /** Throws `unknown_model` or `missing_key` for a model that cannot run. */
  readonly checkModel: (id: string) => void
  /** Asks the model's provider how long a request is. Without it everything is estimated. */
  readonly countTokens?: (model: string, request: ModelRequest, signal: AbortSignal) => Promise<TokenCount>
  /** Limits of every run; the runtime applies them to new runs, imported ones carry their own. */
  readonly limits: Omit<RunLimits, 'max_turns'>
  /** Engines that `metadata.engine` of a new session may name; throws `bad_request` or what is missing. */
  readonly checkEngine: (name: string) => Promise<void>
  readonly version: string
  /** True if other processes may serve the same data; unknown work may then run there. */
  readonly shared: boolean
  /** Leases of the processes that serve the same data. Without it one that holds something up is given up after a minute. */
  readonly leases?: LeasePort
  readonly bodyLimit: number
  readonly maxHeaderBytes: number
  readonly maxConnections: number
  readonly maxStreams: number
  /** Open streams of one API key, and of all keys of one owner, on this server; a fifth and a half of `maxStreams` when absent. */
  readonly maxStreamsPerKey: number
  readonly maxStreamsPerOwner: number
  readonly heartbeatMs: number
  /** A reader that takes nothing for this long is cut off; it can resume. */
  readonly stallMs: number
  /** Polling interval of a waiting stream, for lost notifications. */
  readonly pollMs: number
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

/** The scope of POST /api/sessions/:id/undo: one call, one exchange, or everything. */
export type UndoRequest = { readonly dryRun: boolean; readonly paths?: readonly string[] } & (
  | { readonly call: string }
  | { readonly turn: string }
  | { readonly session: true }
)

const DEFAULTS: Omit<ServerConfig, 'maxStreamsPerKey' | 'maxStreamsPerOwner'> = {
  host: '127.0.0.1',
  port: 8000,
  apiKeys: [],
  allowedHosts: [],
  allowedOrigins: [],
  model: 'demo',
  workspace: '.',
  permissionMode: 'default',
  toolNames: [],
  gatewayTools: [],
  listModels: () => [],
  describeModel: () => ({}),
  workspaceRoots: [],
  isInsideRoots: () => false,
  openFile: () => Promise.reject(new Error('This server opens no files.')),
  listTools: () => [],
  checkModel: () => {},
  limits: {},
  checkEngine: async () => {},
  version: '0.0.0',
  shared: true,
  bodyLimit: 32 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 10_000,
  maxStreams: 5_000,
  heartbeatMs: 10_000,
  stallMs: 30_000,
  pollMs: 5_000,
}

/** The model of new sessions, at this moment. */
export const defaultModel = ({ model, currentModel }: Pick<ServerConfig, 'model' | 'currentModel'>): string =>
  currentModel?.() ?? model

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i

/** True if only this machine can reach the address. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Fills in defaults; `hasKeys` says that keys exist beside those of the settings. Throws for settings that would be unsafe or cannot work; the message says what to do. */
export function resolveConfig(given: Partial<ServerConfig>, hasKeys = false): ServerConfig {
  const maxStreams = given.maxStreams ?? DEFAULTS.maxStreams
  const shares = {
    maxStreamsPerKey: Math.ceil(maxStreams / 5),
    maxStreamsPerOwner: Math.ceil(maxStreams / 2),
  }
  const config = { ...DEFAULTS, ...shares, ...given }
  if (!isLoopback(config.host) && config.apiKeys.length === 0 && !hasKeys)
    throw new Error(`host ${config.host} can be reached from other machines: set API keys, or bind 127.0.0.1`)
  if (config.apiKeys.some(key => key.length < 8)) throw new Error('an API key has at least 8 characters')
  if (config.heartbeatMs < 1 || config.heartbeatMs > 10_000) throw new Error('heartbeatMs is 1 to 10000')
  return config
}
