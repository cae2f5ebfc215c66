/** Settings of the HTTP server: plain values. `resolveSettings` is the only place that knows the defaults. */
import type { Effort, RunLimits } from '@toolwire/core'

export interface ServerSettings {
  /** Address to bind; loopback by default. Another address needs `apiKeys`. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly apiKeys: readonly string[]
  /** Further names under which this server is reached, without port. */
  readonly allowedHosts: readonly string[]
  /** True if every name may reach this server: callers prove who they are, so a rebound name gains nothing. */
  readonly anyHost: boolean
  /** Path of the host under which the routes are, such as `/agent`; empty for the root. No slash at the end. */
  readonly basePath: string
  /** Callers of a server that asks for no sign-in: all, or those on this machine alone, by their address. */
  readonly strangers: 'any' | 'loopback'
  /** Origins whose pages may call this server, exactly as browsers send them. */
  readonly allowedOrigins: readonly string[]
  /** Defaults of new sessions. */
  readonly model: string
  readonly workspace: string
  readonly permissionMode: string
  /** Effort of thinking that models are asked for in new sessions; they are asked for nothing when absent. */
  readonly effort?: Effort
  readonly toolNames: readonly string[]
  /** Server tools that requests of the vendor wires have run on the server without asking for it. */
  readonly gatewayTools: readonly string[]
  /** Secrets that seal data which clients of the vendor wires carry: the first seals, all open. Empty: the records hold one. */
  readonly sealSecrets: readonly string[]
  /** Milliseconds that a run waits for a client that repeats its requests before it is cancelled. */
  readonly repeatGraceMs: number
  /** Earlier messages that a page brings to a new chat: quoted to the model as not verified, left out, or an error. */
  readonly importHistory: 'quote' | 'drop' | 'refuse'
  /** Folders under which a request may choose its workspace; none means any. */
  readonly workspaceRoots: readonly string[]
  /** Limits of every run; the runtime applies them to new runs, imported ones carry their own. */
  readonly limits: Omit<RunLimits, 'max_turns'>
  readonly version: string
  /** True if other processes may serve the same data; unknown work may then run there. */
  readonly shared: boolean
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

export const DEFAULT_SETTINGS: Omit<ServerSettings, 'maxStreamsPerKey' | 'maxStreamsPerOwner'> = {
  host: '127.0.0.1',
  port: 8000,
  apiKeys: [],
  allowedHosts: [],
  anyHost: false,
  basePath: '',
  strangers: 'any',
  allowedOrigins: [],
  model: 'demo',
  workspace: '.',
  permissionMode: 'default',
  toolNames: [],
  gatewayTools: [],
  sealSecrets: [],
  repeatGraceMs: 10_000,
  importHistory: 'quote',
  workspaceRoots: [],
  limits: {},
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

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i

/** True if only this machine can reach the address. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Throws for an address that other machines reach where callers need no sign-in. */
export function requireSafeAddress(
  { host, apiKeys, strangers }: Pick<ServerSettings, 'host' | 'apiKeys' | 'strangers'>,
  isProtected: boolean,
): void {
  if (isLoopback(host) || apiKeys.length > 0 || isProtected || strangers === 'loopback') return
  throw new Error(`host ${host} can be reached from other machines: set API keys, or bind 127.0.0.1`)
}

/** Fills in defaults; `hasKeys` says that keys exist beside those of the settings. Throws for settings that would be unsafe or cannot work; the message says what to do. */
export function resolveSettings(given: Partial<ServerSettings>, hasKeys = false): ServerSettings {
  const maxStreams = given.maxStreams ?? DEFAULT_SETTINGS.maxStreams
  const shares = {
    maxStreamsPerKey: Math.ceil(maxStreams / 5),
    maxStreamsPerOwner: Math.ceil(maxStreams / 2),
  }
  const settings = { ...DEFAULT_SETTINGS, ...shares, ...given }
  requireSafeAddress(settings, hasKeys)
  if (settings.apiKeys.some(key => key.length < 8)) throw new Error('an API key has at least 8 characters')
  if (settings.heartbeatMs < 1 || settings.heartbeatMs > 10_000) throw new Error('heartbeatMs is 1 to 10000')
  return settings
}
