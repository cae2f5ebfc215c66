/** Files that a session's tools have changed: GET …/changes shows what an undo would do, POST …/undo does it. */
import { AppError, isBusy } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { UndoRequest } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'

const id = z.string().min(1).max(256)
export const ChangesQuery = z.object({ call: id.optional(), turn: id.optional() })
export const UndoBody = z
  .object({
    call: id.optional(),
    turn: id.optional(),
    session: z.literal(true).optional(),
    paths: z.array(z.string().min(1).max(4096)).min(1).max(1000).optional(),
    dry_run: z.boolean().default(false),
  })
  .refine(body => [body.call, body.turn, body.session].filter(one => one !== undefined).length === 1, {
    message: 'exactly one of call, turn and session is required',
  })

export function addChangesRoute(app: FastifyInstance, context: ServerContext): void {
  app.get<{ Params: { id: string } }>('/api/sessions/:id/changes', async request => {
    const { undo } = context.config
    if (!undo) throw new AppError('not_found', 'This server keeps nothing to undo.')
    const { call, turn } = parseBody(ChangesQuery, request.query)
    if (call !== undefined && turn !== undefined)
      throw new AppError('bad_request', 'At most one of call and turn is possible.')
    const row = await findSession(context, request.params.id)
    return { session_id: row.id, ...(await undo(row.id, toRequest({ call, turn, dry_run: true }))) }
  })
}

/** A session that runs is refused: its tools may be about to write the same files. */
export function addUndoRoute(app: FastifyInstance, context: ServerContext): void {
  app.post<{ Params: { id: string } }>('/api/sessions/:id/undo', async request => {
    const { undo } = context.config
    if (!undo) throw new AppError('not_found', 'This server keeps nothing to undo.')
    const body = parseBody(UndoBody, request.body)
    const row = await findSession(context, request.params.id)
    const busy = isBusy(await context.sessions.facts(row.id))
    if (busy && !body.dry_run)
      throw new AppError('conflict', 'The session is running; cancel it first, or ask for a dry run.')
    return { session_id: row.id, ...(await undo(row.id, toRequest(body))) }
  })
}

function toRequest({ call, turn, paths, dry_run: dryRun }: z.output<typeof UndoBody>): UndoRequest {
  const rest = { dryRun, ...(paths === undefined ? {} : { paths }) }
  if (call !== undefined) return { call, ...rest }
  return turn === undefined ? { session: true, ...rest } : { turn, ...rest }
}
