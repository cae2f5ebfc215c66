/**
 * The caller of a request. Every request has a principal; it travels with the request's asynchronous work, so that
 * the store that routes see is limited to its owner.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '@toolwire/core'
import type { Budget } from './budget-period.ts'

/**
 * read: sessions, events, pending items. write: messages, outputs, changes. approve: decisions on calls, and modes
 * that decide in advance. gateway: the vendor wires. metrics: Prometheus metrics. mcp: the MCP server. tokens: browser
 * tokens, for any owner. admin: everything but that, with rules and audit.
 */
export const SCOPES = ['read', 'write', 'approve', 'gateway', 'metrics', 'mcp', 'tokens', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export interface Limits {
  readonly requests_per_minute: number | null
  /** Concurrent requests, open streams included, and concurrent runs. */
  readonly concurrent: number | null
  readonly budget_usd: number | null
}

export interface Principal {
  /** Sessions belong to an owner; keys of one owner share them. */
  readonly owner: string
  /** Name for limits, spending and audit: of the key, or of the person or program that signed in. */
  readonly key_id: string | null
  readonly scopes: ReadonlySet<Scope>
  readonly limits: Limits
  /** Of its API key, by periods. */
  readonly budgets?: readonly Budget[]
  /** Models that its runs may ask; null for all of the server. */
  readonly models: readonly string[] | null
  /** The only folder in which sessions of this key may work; null leaves it to the server's settings. */
  readonly workspace: string | null
  /** Sees every owner's sessions: a server without keys, or a route with a separate credential. */
  readonly unbounded: boolean
  /** Names the holder again later, without a secret. Absent on a server without a sign-in. */
  readonly credential?: string
  readonly source: Source
  /** Of its API key or sign-in; without it there is no end. */
  readonly expires_at?: string
  /** It came with a browser token. */
  readonly token?: TokenFacts
}

/** `none`: a server without a sign-in. `application`: the sign-in of the program around the server. */
export const SOURCES = ['none', 'key', 'token', 'jwt', 'application'] as const
type Source = (typeof SOURCES)[number]

export interface TokenFacts {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly expires_at: number
  /** Sessions that it reaches: these, or those that it makes; all of the owner's when absent. */
  readonly sessions?: readonly string[] | 'new'
  /** Pages that may send it. */
  readonly origins?: readonly string[]
  /** The key that made it: its limits hold for all of its tokens together. */
  readonly maker?: { readonly key_id: string; readonly limits: Limits; readonly budgets: readonly Budget[] }
}

export const DEFAULT_OWNER = 'default'
export const NO_LIMITS: Limits = { requests_per_minute: null, concurrent: null, budget_usd: null }

/** The one who runs a server that asks for no keys. */
export const LOCAL_OPERATOR: Principal = {
  owner: DEFAULT_OWNER,
  key_id: null,
  scopes: new Set(SCOPES),
  limits: NO_LIMITS,
  models: null,
  workspace: null,
  unbounded: true,
  source: 'none',
}

/** The application around this server. Browser tokens that it makes end with no key. */
export const APPLICATION: Principal = { ...LOCAL_OPERATOR, credential: 'application' }

/** `admin` is every scope but `tokens`: it ends at its owner, and browser tokens are for any owner. */
export const holds = ({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean =>
  scopes.has(scope) || (scope !== 'tokens' && scopes.has('admin'))

/** Throws `forbidden` and names what is missing. */
export function mustHave(principal: Principal, scope: Scope): void {
  if (holds(principal, scope)) return
  throw new AppError('forbidden', `This API key lacks the scope "${scope}".`)
}

/** A request for the log's lines: its ids, and the session that it turned out to be about. */
export interface RequestTrace {
  readonly request_id: string
  /** Of the span that was active when it came. */
  readonly trace_id?: string
  session?: string
  /** Of the latest event that it wrote there. */
  seq?: number
}

const current = new AsyncLocalStorage<{
  readonly principal: Principal
  readonly trail?: RequestTrace | undefined
}>()

/** Runs `work`, and everything that it starts, for this principal. */
export const actFor = <T>(principal: Principal, work: () => T, trail = currentTrail()): T =>
  current.run({ principal, trail }, work)

/** The principal of the current request. Throws outside of requests, so that nothing is shown by mistake. */
export function currentPrincipal(): Principal {
  const asking = current.getStore()
  if (!asking) throw new Error('no request is in progress')
  return asking.principal
}

/** Undefined outside of requests. */
export const findPrincipal = (): Principal | undefined => current.getStore()?.principal

/** Undefined outside of requests. What a request woke may still run in its name: see whose write it is. */
export const currentTrail = (): RequestTrace | undefined => current.getStore()?.trail

/**
 * Notes that the current request is about this session; `seq` if it wrote there. A write takes precedence over a
 * read.
 */
export function noteReached(session: string, seq?: number): void {
  const trail = currentTrail()
  if (!trail || (seq === undefined && trail.seq !== undefined)) return
  if (trail.session !== session) delete trail.seq
  trail.session = session
  if (seq !== undefined) trail.seq = seq
}
