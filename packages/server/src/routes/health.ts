/** Whether the process lives, and whether it can serve. */
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'

export function addHealthRoutes(app: FastifyInstance, context: ServerContext): void {
  const alive = async () => ({ status: 'ok', version: context.config.version })
  app.get('/health', alive)
  app.get('/healthz', alive)
  app.get('/readyz', async () => {
    await context.store.list({ limit: 1 })
    return { status: 'ready', streams: context.streams.size() }
  })
  app.get('/api/tools', async () => {
    const { config } = context
    await config.refreshTools?.()
    const problems = config.toolProblems?.() ?? []
    return { tools: config.listTools(), ...(problems.length > 0 ? { problems } : {}) }
  })
}
