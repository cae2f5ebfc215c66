/** One call: stopping it while its siblings go on, and its whole output where a message holds only a part. */
import { AppError } from '@toolwire/core'
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
    const row = await findSession(context.store, request.params.id)
    const { reason } = parseBody(CancelBody, request.body)
    const call_id = request.params.call
    const cancelled = await cancelCall(context, row.id, call_id, reason ?? 'stopped by the user')
    return { session_id: row.id, call_id, cancelled }
  })

  app.get<CallParams>('/api/sessions/:id/artifacts/:call', async (request, reply) => {
    const row = await findSession(context.store, request.params.id)
    const path = context.config.artifactFile?.(row.id, request.params.call)
    if (path === undefined) throw new AppError('not_found', 'This server keeps no outputs.')
    return await sendFile(request, reply, path)
  })
}

/**
 * False when the call had ended before; then nothing is recorded. A call that launched an agent into
 * the background stops that agent. Throws `call_not_found`.
 */
async function cancelCall(
  context: ServerContext,
  session: string,
  call_id: string,
  reason: string,
): Promise<boolean> {
  const { calls, launched } = await context.summaries.get(session)
  const call = calls.get(call_id)
  if (!call) throw new AppError('call_not_found')
  const agent = launched.get(call_id)
  if (call.ended && agent === undefined) return false
  const agent_run_id = call.ended ? agent : call.agent_run_id
  const event = {
    type: 'input.cancel',
    ts: context.clock.now().toISOString(),
    run_id: context.ids.uuid(),
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
    ...(call.ended ? {} : { call_id }),
    reason,
    by: 'client',
  } as const
  await context.store.append([
    { session, events: [event], key: `cancel:${call.message_id}:${call_id}`, state: 'running' },
  ])
  context.runtime.wake(session)
  return true
}
