/** Liveness and readiness probes. */
import { AppError } from '@toolwire/core'
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'

/** Balancers ask often and give up early: a store that is slower than this counts as away. */
const PATIENCE_MS = 2000

export function addHealthRoutes(app: FastifyInstance, context: ServerContext): void {
  const alive = async () => ({ status: 'ok', version: context.config.version })
  app.get('/health', alive)
  app.get('/healthz', alive)
  app.get('/readyz', async () => {
    if (context.streams.closed()) throw new AppError('shutting_down')
    if (await canServe(context)) return { status: 'ready', streams: context.streams.size() }
    throw new AppError('storage_error', 'The store does not answer, or takes no writes.')
  })
  app.get('/api/tools', async () => {
    const { config } = context
    await config.refreshTools?.()
    const problems = config.toolProblems?.() ?? []
    return { tools: config.listTools(), ...(problems.length > 0 ? { problems } : {}) }
  })
}

/** A store on a standby can be read and nothing more; asking for its lineage finds that out. */
async function canServe({ store }: ServerContext): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS)
  })
  const asked = Promise.all([store.list({ limit: 1 }), store.lineage?.()]).then(
    () => true,
    () => false,
  )
  return await Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
