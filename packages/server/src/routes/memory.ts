/** The notes that models keep for later sessions, for people to look through and delete: /api/memory. */
import { AppError, initial } from '@toolwire/core'
import { z } from 'zod'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { emptyReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { empty, json, SESSION_ERRORS } from '../openapi/operation.ts'
import { MemoryFile, MemoryList } from '../openapi/shapes/tool-shapes.ts'
import type { MemoryOwner, MemoryPort } from '../ports/memory-port.ts'
import { findSession } from '../sessions/find-session.ts'

const MemoryQuery = z.object({ session_id: z.string().min(1).max(128).optional() })

const path = 'The path of the file, which begins with `user/`, `project/` or `session/`.'

/** Notes belong to the server, not to a key, so they need the scope `admin`. */
export const memoryRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/memory',
    scope: 'admin',
    id: 'listMemory',
    tag: 'Memory',
    summary: 'The notes that models keep for later sessions',
    query: MemoryQuery,
    errors: ['bad_request', ...SESSION_ERRORS],
    responses: { 200: json(MemoryList, 'Their files.') },
    handle: async (exchange, context) => {
      const query = exchange.parseQuery()
      const { memory } = context.ports
      if (!memory) return { enabled: false, files: [] }
      return { enabled: true, files: await memory.list(await ownerOf(context, query)) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/memory/*',
    scope: 'admin',
    id: 'readMemory',
    tag: 'Memory',
    summary: 'One file of notes',
    rest: path,
    query: MemoryQuery,
    errors: ['bad_request', 'not_found', ...SESSION_ERRORS],
    responses: { 200: json(MemoryFile, 'Its text.') },
    handle: async (exchange, context) => {
      const path = exchange.params['*']
      const text = await portOf(context).read(path, await ownerOf(context, exchange.parseQuery()))
      if (text === undefined) throw missing()
      return { path, text }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/memory/*',
    scope: 'admin',
    id: 'deleteMemory',
    tag: 'Memory',
    summary: 'Delete one file of notes',
    rest: path,
    query: MemoryQuery,
    errors: ['bad_request', 'not_found', ...SESSION_ERRORS],
    responses: { 204: empty('It is gone.') },
    handle: async (exchange, context) => {
      const path = exchange.params['*']
      const owner = await ownerOf(context, exchange.parseQuery())
      if (!(await portOf(context).remove(path, owner))) throw missing()
      await recordAudit(context, 'memory.deleted', {
        ...(owner.session_id === '' ? {} : { session_id: owner.session_id }),
        details: { path },
      })
      return emptyReply(204)
    },
  }),
]

const missing = (): AppError => new AppError('not_found', 'There is no such memory file.')

function portOf({ ports }: ServerContext): MemoryPort {
  const { memory } = ports
  if (!memory) throw new AppError('not_found', 'This server keeps no memory.')
  return memory
}

/** Without a session the server's own workspace is meant. */
async function ownerOf(
  context: ServerContext,
  { session_id }: z.output<typeof MemoryQuery>,
): Promise<MemoryOwner> {
  if (session_id === undefined) return { workspace: context.settings.workspace, session_id: '' }
  const row = await findSession(context, session_id)
  const { created } = (await context.sessions.state(row.id)) ?? initial()
  return { workspace: created?.cwd ?? context.settings.workspace, session_id: row.id }
}
