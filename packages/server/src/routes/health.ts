/** Liveness and readiness probes. */
import { AppError } from '@toolwire/core'
import type { ServerContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { Alive, Ready } from '../openapi/shapes/server-shapes.ts'
import { ToolList } from '../openapi/shapes/tool-shapes.ts'

/** Balancers ask often and give up early: a store that is slower than this counts as away. */
const PATIENCE_MS = 2000

const isAlive = async (_: unknown, { settings }: ServerContext) => ({
  status: 'ok',
  version: settings.version,
})

export const healthRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/health',
    scope: 'open',
    id: 'health',
    tag: 'Server',
    summary: 'Whether the process lives; the same as /healthz',
    responses: { 200: json(Alive, 'It does.') },
    handle: isAlive,
  }),
  defineRoute({
    method: 'GET',
    path: '/healthz',
    scope: 'open',
    id: 'healthz',
    tag: 'Server',
    summary: 'Whether the process lives',
    responses: { 200: json(Alive, 'It does.') },
    handle: isAlive,
  }),
  defineRoute({
    method: 'GET',
    path: '/readyz',
    scope: 'open',
    id: 'readyz',
    tag: 'Server',
    summary: 'Whether it can serve',
    errors: ['storage_error', 'shutting_down'],
    responses: { 200: json(Ready, 'The store answers.') },
    handle: async (_, context) => {
      if (context.streams.closed()) throw new AppError('shutting_down')
      if (await canServe(context)) {
        const worker = await context.ports.hasWorker?.()
        const streams = context.streams.size()
        return { status: 'ready', streams, ...(worker === undefined ? {} : { worker }) }
      }
      throw new AppError('storage_error', 'The store does not answer, or takes no writes.')
    },
  }),
]

export const toolListRoute = defineRoute({
  method: 'GET',
  path: '/api/tools',
  scope: 'read',
  id: 'listTools',
  tag: 'Tools',
  summary: 'The tools that sessions can use',
  responses: { 200: json(ToolList, 'Their schemas are those that models get.') },
  handle: async (_, { ports }) => {
    await ports.refreshTools?.()
    const problems = ports.toolProblems?.() ?? []
    return { tools: ports.listTools(), ...(problems.length > 0 ? { problems } : {}) }
  },
})

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
