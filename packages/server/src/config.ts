/** Settings of the HTTP server. `resolveConfig` is the only place that knows the defaults. */
import type { SessionState, ToolSpec } from '@toolwire/core'

export interface ServerConfig {
  /** Address to bind; loopback unless told. Another address needs `apiKeys`. */
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
  readonly workspace: string
  readonly permissionMode: string
  readonly toolNames: readonly string[]
  /** Server tools that requests of the vendor wires have run on the server without asking for it. */
  readonly gatewayTools: readonly string[]
  /** Ids that GET /v1/models lists beside the default model. */
  readonly listModels: () => readonly string[]
  /** Folders under which a request may choose its workspace; none means any. */
  readonly workspaceRoots: readonly string[]
  /** The tools that GET /api/tools lists. */
  readonly listTools: () => readonly ToolSpec[]
  /** Why a call would be allowed, asked about or denied; runs nothing. Without it the route does not exist. */
  readonly explainPermission?: (request: ExplainRequest) => Promise<Readonly<Record<string, unknown>>>
  /** Takes back what the session's tools wrote to files. Without it the route does not exist. */
  readonly undo?: (session: string, request: UndoRequest) => Promise<Readonly<Record<string, unknown>>>
  /** Throws `unknown_model` or `missing_key` for a model that cannot run. */
  readonly checkModel: (id: string) => void
  readonly version: string
  readonly bodyLimit: number
  readonly maxHeaderBytes: number
  readonly maxConnections: number
  readonly maxStreams: number
  readonly heartbeatMs: number
  /** A reader that takes nothing for this long is cut off; it can resume. */
  readonly stallMs: number
  /** How often a waiting stream looks into the log without being told. */
  readonly pollMs: number
}

/** A call in a session's state, as POST /api/permissions/explain asks about it. */
export interface ExplainRequest {
  readonly session_id: string
  readonly session: SessionState
  readonly tool: string
  readonly input: unknown
}

/** What POST /api/sessions/:id/undo takes back: one call, one exchange, or everything. */
export type UndoRequest = { readonly dryRun: boolean } & (
  | { readonly call: string }
  | { readonly turn: string }
  | { readonly session: true }
)

const DEFAULTS: ServerConfig = {
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
  workspaceRoots: [],
  listTools: () => [],
  checkModel: () => {},
  version: '0.0.0',
  bodyLimit: 32 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 10_000,
  maxStreams: 5_000,
  heartbeatMs: 10_000,
  stallMs: 30_000,
  pollMs: 5_000,
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i

/** Whether only this machine can reach the address. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Fills in defaults. Throws for settings that would be unsafe or cannot work; the message says what to do. */
export function resolveConfig(given: Partial<ServerConfig>): ServerConfig {
  const config = { ...DEFAULTS, ...given }
  if (!isLoopback(config.host) && config.apiKeys.length === 0)
    throw new Error(`host ${config.host} can be reached from other machines: set API keys, or bind 127.0.0.1`)
  if (config.apiKeys.some(key => key.length < 8)) throw new Error('an API key has at least 8 characters')
  if (config.heartbeatMs < 1 || config.heartbeatMs > 10_000) throw new Error('heartbeatMs is 1 to 10000')
  return config
}
