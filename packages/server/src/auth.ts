/** API keys: `Authorization: Bearer …` or `x-api-key`. Compared in constant time; none configured means none needed. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '@toolwire/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Routes that need no key: health checks, and the one whose path holds a secret of its own. */
const OPEN: ReadonlySet<string> = new Set(['/health', '/healthz', '/readyz', '/v4/response/:run_token'])

/** Refuses requests without a valid key; health checks need none. */
export function installAuth(app: FastifyInstance, apiKeys: readonly string[]): void {
  if (apiKeys.length === 0) return
  const digests = apiKeys.map(digest)
  app.addHook('onRequest', async request => {
    if (OPEN.has(request.routeOptions.url ?? '') || request.routeOptions.config.open) return
    const given = keyOf(request)
    if (given === undefined) throw new AppError('unauthorized')
    const candidate = digest(given)
    // Every key is compared, so that the time tells nothing about which one came close.
    const matches = digests.filter(known => timingSafeEqual(known, candidate))
    if (matches.length === 0) throw new AppError('unauthorized')
  })
}

function keyOf(request: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return bearer
  const header = request.headers['x-api-key']
  return typeof header === 'string' ? header : undefined
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest()
