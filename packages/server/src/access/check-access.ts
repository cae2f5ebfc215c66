/**
 * The door: finds the principal of every request by its key (`Authorization: Bearer …` or `x-api-key`), and checks
 * scope, limits and budget. The route then works for that principal alone.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError, type Records } from '@toolwire/core'
import type { ServedExchange } from '../http/served-exchange.ts'
import type { KeyRegistry } from './key-registry.ts'
import { createLimiter } from './limiter.ts'
import type { OpenRequests } from './open-requests.ts'
import { mustHave, type Scope } from './principal.ts'
import { checkBudget } from './spending.ts'

export interface AccessOptions {
  readonly keys: KeyRegistry
  readonly openRequests: OpenRequests
  readonly records?: Records | undefined
}

/** Sets the principal of the exchange. Throws `unauthorized`, `forbidden`, `too_many_requests` or `quota_exceeded`. */
export type AccessCheck = (exchange: ServedExchange) => Promise<void>

export function createAccessCheck({ keys, openRequests, records }: AccessOptions): AccessCheck {
  const limiter = createLimiter()
  return async exchange => {
    const scope = scopeOf(exchange)
    if (scope === 'open') return
    const { client } = exchange
    if (!(await keys.required())) return openRequests.add(null, client)
    const key = keyIn(exchange.headers)
    const principal = key === undefined ? undefined : await keys.find(key)
    if (!principal) throw new AppError('unauthorized')
    exchange.principal = principal
    mustHave(principal, scope)
    client.onClose(limiter.enter(principal))
    openRequests.add(principal.key_id, client)
    if (exchange.method === 'POST') await checkBudget(records, principal)
  }
}

/** By the route that was found, never by the text of the path: a router takes several spellings for one route. */
const scopeOf = ({ match, method }: ServedExchange): Scope | 'open' =>
  match?.route.scope ?? (['GET', 'HEAD', 'OPTIONS'].includes(method) ? 'read' : 'write')

function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return bearer
  const header = headers['x-api-key']
  return typeof header === 'string' ? header : undefined
}
