/** Files that a session's tools have changed: GET …/changes shows what an undo would do, POST …/undo does it. */
import { AppError, isBusy } from '@toolwire/core'
import { z } from 'zod'
import { defineRoute } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { Undone } from '../openapi/shapes/tool-shapes.ts'
import type { UndoRequest } from '../ports.ts'
import { findSession } from '../sessions/find-session.ts'

const id = z.string().min(1).max(256)
const ChangesQuery = z.object({ call: id.optional(), turn: id.optional() })
const UndoBody = z
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

export const changesRoute = defineRoute({
  method: 'GET',
  path: '/api/sessions/:id/changes',
  scope: 'read',
  id: 'listChanges',
  tag: 'Sessions',
  summary: "Files that the session's tools have changed",
  description: 'What an undo of a call, a turn or the whole session would do to each file. Changes nothing.',
  query: ChangesQuery,
  errors: ['bad_request', 'unknown_call', 'not_found', ...SESSION_ERRORS],
  responses: { 200: json(Undone, 'Each diff leads from the content now to the content before.') },
  handle: async (exchange, context) => {
    const { undo } = context.ports
    if (!undo) throw new AppError('not_found', 'This server keeps nothing to undo.')
    const { call, turn } = exchange.parseQuery()
    if (call !== undefined && turn !== undefined)
      throw new AppError('bad_request', 'At most one of call and turn is possible.')
    const row = await findSession(context, exchange.params.id)
    return { session_id: row.id, ...(await undo(row.id, toRequest({ call, turn, dry_run: true }))) }
  },
})

/** A running session is rejected: its tools may be about to write the same files. */
export const undoRoute = defineRoute({
  method: 'POST',
  path: '/api/sessions/:id/undo',
  scope: 'write',
  id: 'undo',
  tag: 'Sessions',
  summary: "Take back what the session's tools wrote to files",
  description:
    'Exactly one of `call`, `turn` and `session` is required. `paths` limits it to some of their files.',
  body: UndoBody.meta({ id: 'UndoRequest' }),
  errors: ['bad_request', 'unknown_call', 'conflict', 'not_found', ...SESSION_ERRORS],
  responses: { 200: json(Undone, 'What became, or would become, of each file.') },
  handle: async (exchange, context) => {
    const { undo } = context.ports
    if (!undo) throw new AppError('not_found', 'This server keeps nothing to undo.')
    const body = exchange.parseBody()
    const row = await findSession(context, exchange.params.id)
    const busy = isBusy(await context.sessions.facts(row.id))
    if (busy && !body.dry_run)
      throw new AppError('conflict', 'The session is running; cancel it first, or ask for a dry run.')
    return { session_id: row.id, ...(await undo(row.id, toRequest(body))) }
  },
})

function toRequest({ call, turn, paths, dry_run: dryRun }: z.output<typeof UndoBody>): UndoRequest {
  const rest = { dryRun, ...(paths === undefined ? {} : { paths }) }
  if (call !== undefined) return { call, ...rest }
  return turn === undefined ? { session: true, ...rest } : { turn, ...rest }
}
