/** One call: cancels it while others continue, and sends its whole output where a message holds a part of it. */
import { AppError } from '@toolwire/core'
import { cancelCall } from '@toolwire/session'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { sendFile } from '../send-file.ts'

export const CancelBody = z.object({ reason: z.string().min(1).max(1000).nullish() })

type CallParams = { Params: { id: string; call: string } }

export function addCallRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post<CallParams>('/api/sessions/:id/calls/:call/cancel', async request => {
    const row = await findSession(context, request.params.id)
    const { reason } = parseBody(CancelBody, request.body)
    const call_id = request.params.call
    const cancelled = await cancelCall(context.sessions, row.id, call_id, reason ?? 'stopped by the user')
    return { session_id: row.id, call_id, cancelled }
  })

  app.get<CallParams>('/api/sessions/:id/artifacts/:call', async (request, reply) => {
    const row = await findSession(context, request.params.id)
    const path = context.config.artifactFile?.(row.id, request.params.call)
    if (path === undefined) throw new AppError('not_found', 'This server keeps no outputs.')
    return await sendFile(
      request,
      reply,
      context.config.openFile(path),
      'This call left no output beside its message.',
    )
  })
}
