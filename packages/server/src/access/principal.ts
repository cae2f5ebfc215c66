/**
 * Who asks. Every request has a principal; it travels with the request's asynchronous work, so
 * that the store that routes see can be the asker's alone without every route having to say so.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '@toolwire/core'

/**
 * read: sessions, events, what waits. write: messages, outputs, changes. approve: decisions on calls,
 * and modes that decide in advance. gateway: the vendor wires. metrics: figures. admin: everything, rules and audit too.
 */
export const SCOPES = ['read', 'write', 'approve', 'gateway', 'metrics', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export interface Limits {
  readonly requests_per_minute: number | null
  /** Requests under way at once, open streams included, and runs under way at once. */
  readonly concurrent: number | null
  readonly budget_usd: number | null
}

export interface Principal {
  /** Sessions belong to an owner; keys of one owner share them. */
  readonly owner: string
  readonly key_id: string | null
  readonly scopes: ReadonlySet<Scope>
  readonly limits: Limits
  /** The only folder in which sessions of this key may work; null leaves it to the server's settings. */
  readonly workspace: string | null
  /** Sees every owner's sessions: a server without keys, or a route with a credential of its own. */
  readonly unbounded: boolean
}

export const DEFAULT_OWNER = 'default'
export const NO_LIMITS: Limits = { requests_per_minute: null, concurrent: null, budget_usd: null }

/** The one who runs a server that asks for no keys. */
export const ANYBODY: Principal = {
  owner: DEFAULT_OWNER,
  key_id: null,
  scopes: new Set(SCOPES),
  limits: NO_LIMITS,
  workspace: null,
  unbounded: true,
}

/** Throws `forbidden` and names what is missing. */
export function mustHave(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope) || principal.scopes.has('admin')) return
  throw new AppError('forbidden', `This API key lacks the scope "${scope}".`)
}

const current = new AsyncLocalStorage<Principal>()

/** Runs `work`, and everything that it starts, for this principal. */
export const actFor = <T>(principal: Principal, work: () => T): T => current.run(principal, work)

/** The principal of the request under way. Outside of requests there is none: then it throws, so that nothing is shown by mistake. */
export function currentPrincipal(): Principal {
  const principal = current.getStore()
  if (!principal) throw new Error('no request is under way')
  return principal
}
