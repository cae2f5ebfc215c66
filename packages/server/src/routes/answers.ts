/** Answers from outside: approvals, outputs of client tools, cancel; and what still waits for one. */
import { AppError, pendingOf } from '@toolwire/core'
import { cancelSession } from '@toolwire/session'
import { decodeApproval, decodeToolOutputs, parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { listPending } from '../list-pending.ts'
import { Inputs, withInputs } from '../short-pending.ts'
import { submitAnswers } from '../submit-answers.ts'

export const PendingQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  inputs: Inputs,
})
export const CancelBody = z.object({ reason: z.string().min(1).max(1000).nullish() })

type IdParams = { Params: { id: string } }

export function addAnswerRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post<IdParams>('/api/approvals/:id', async request => {
    const approval_id = request.params.id
    const session = sessionOf(approval_id)
    const answer = decodeApproval(request.body)
    await findSession(context, session).catch(error => {
      throw AppError.is(error) && error.code === 'session_not_found'
        ? new AppError('approval_not_found')
        : error
    })
    const [recorded] = await submitAnswers(context, session, {
      outputs: [],
      approvals: [{ ...answer, approval_id }],
      protocol: 'api',
    })
    if (!recorded) throw new AppError('approval_not_found')
    const { call_id, decision, reason, first } = recorded
    return {
      approval_id,
      session_id: session,
      call_id,
      decision,
      ...(reason === undefined ? {} : { reason }),
      first,
    }
  })

  app.post<IdParams>('/api/sessions/:id/tool_outputs', async request => {
    const row = await findSession(context, request.params.id)
    const outputs = decodeToolOutputs(request.body)
    const recorded = await submitAnswers(context, row.id, {
      outputs,
      approvals: [],
      protocol: 'api',
    })
    const accepted = recorded.map(({ call_id, first }) => ({ tool_use_id: call_id, first }))
    return { session_id: row.id, accepted, pending: pendingOf(await context.sessions.facts(row.id)) }
  })

  app.post<IdParams>('/api/sessions/:id/cancel', async request => {
    const row = await findSession(context, request.params.id)
    const { reason } = parseBody(CancelBody, request.body)
    const cancelled = await cancelSession(context.sessions, row.id, reason ?? 'cancelled by the user')
    return { session_id: row.id, cancelled }
  })

  app.get('/api/pending', async request => {
    const { limit, inputs } = parseBody(PendingQuery, request.query)
    return { pending: withInputs(await listPending(context, limit), inputs) }
  })
}

/** Approval ids are `apr_<session>.<random>`, so that none has to be searched for. Throws `approval_not_found`. */
function sessionOf(approvalId: string): string {
  const session = /^apr_([A-Za-z0-9_-]{1,128})\.[A-Za-z0-9_-]+$/.exec(approvalId)?.[1]
  if (session === undefined) throw new AppError('approval_not_found')
  return session
}
