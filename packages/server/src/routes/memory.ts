/** The notes that models keep for later sessions, for people to look through and delete: /api/memory. */
import { AppError, initial } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { mustHave } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import type { MemoryOwner, MemoryPort } from '../ports/memory-port.ts'

export const MemoryQuery = z.object({ session_id: z.string().min(1).max(128).optional() })

/** Notes belong to the server, not a key: only the scope `admin` sees or deletes them. */
export function addMemoryRoutes(app: FastifyInstance, context: ServerContext): void {
  app.get('/api/memory', async request => {
    mustHave(context.principal(), 'admin')
    const { memory } = context.config
    if (!memory) return { enabled: false, files: [] }
    return { enabled: true, files: await memory.list(await ownerOf(context, request.query)) }
  })

  app.get<{ Params: { '*': string } }>('/api/memory/*', async request => {
    const path = request.params['*']
    const text = await portOf(context).read(path, await ownerOf(context, request.query))
    if (text === undefined) throw missing()
    return { path, text }
  })

  app.delete<{ Params: { '*': string } }>('/api/memory/*', async (request, reply) => {
    const path = request.params['*']
    const owner = await ownerOf(context, request.query)
    if (!(await portOf(context).remove(path, owner))) throw missing()
    await recordAudit(context, 'memory.deleted', {
      ...(owner.session_id === '' ? {} : { session_id: owner.session_id }),
      details: { path },
    })
    return reply.code(204).send()
  })
}

const missing = (): AppError => new AppError('not_found', 'There is no such memory file.')

function portOf(context: ServerContext): MemoryPort {
  mustHave(context.principal(), 'admin')
  const { memory } = context.config
  if (!memory) throw new AppError('not_found', 'This server keeps no memory.')
  return memory
}

/** Without a session the server's own workspace is meant. */
async function ownerOf(context: ServerContext, query: unknown): Promise<MemoryOwner> {
  const { session_id } = parseBody(MemoryQuery, query)
  if (session_id === undefined) return { workspace: context.config.workspace, session_id: '' }
  const row = await findSession(context, session_id)
  const { created } = (await context.sessions.state(row.id)) ?? initial()
  return { workspace: created?.cwd ?? context.config.workspace, session_id: row.id }
}
