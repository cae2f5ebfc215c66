/** Answers from outside: approvals, outputs of client tools, cancel; and what still waits for one. */
import { AppError, pendingOf } from '@toolwire/core'
import { cancelWithQueue } from '@toolwire/session'
import { ApprovalBody, decodeApproval, decodeToolOutputs, ToolOutputsBody } from '@toolwire/wire'
import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { ApprovalRecorded, OutputsRecorded, PendingList } from '../openapi/shapes/session-shapes.ts'
import { findSession } from '../sessions/find-session.ts'
import { listPending } from '../sessions/list-pending.ts'
import { Inputs, withInputs } from '../sessions/short-pending.ts'
import { submitAnswers } from '../sessions/submit-answers.ts'

const PendingQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  inputs: Inputs,
})
const CancelBody = z.object({
  reason: z.string().min(1).max(1000).nullish(),
  /** Handling of messages that wait; they stay without it. */
  queued: z.enum(['keep', 'drop']).nullish(),
})

const Cancelled = z
  .object({
    session_id: z.string(),
    cancelled: z.boolean(),
    still_queued: z.array(z.string()),
    dropped: z.array(z.string()),
  })
  .meta({ id: 'CancelledSession' })
/** Errors of an answer that does not fit what waits. */
export const ANSWER_ERRORS = ['bad_request', 'unknown_call', 'already_answered', 'expired'] as const

export const cancelSessionRoute = defineRoute({
  method: 'POST',
  path: '/api/sessions/:id/cancel',
  scope: 'write',
  id: 'cancelSession',
  tag: 'Sessions',
  summary: 'End what runs or waits',
  body: CancelBody.meta({ id: 'CancelSession' }),
  isBodyOptional: true,
  errors: ['bad_request', ...SESSION_ERRORS],
  responses: { 200: json(Cancelled, '`cancelled` is false when there was nothing to end.') },
  handle: async (exchange, context) => {
    const row = await findSession(context, exchange.params.id)
    const { reason, queued } = exchange.parseBody()
    const result = await cancelWithQueue(context.sessions, row.id, {
      reason: reason ?? 'cancelled by the user',
      drops: queued === 'drop',
    })
    return { session_id: row.id, ...result }
  },
})

export const answerRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/approvals/:id',
    scope: 'approve',
    id: 'answerApproval',
    tag: 'Conversation',
    summary: 'Decide on a call, or answer a question',
    description: 'The first answer applies. A later one gets what is recorded, with `first` false.',
    body: ApprovalBody.meta({ id: 'ApprovalAnswer' }),
    errors: ['bad_request', 'approval_not_found', 'already_answered', 'expired', 'session_deleted'],
    responses: { 200: json(ApprovalRecorded, 'What is recorded.') },
    handle: async (exchange, context) => {
      const approval_id = exchange.params.id
      const session = sessionOf(approval_id)
      const answer = decodeApproval(exchange.body)
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
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/tool_outputs',
    scope: 'write',
    id: 'answerTools',
    tag: 'Conversation',
    summary: 'Give the outputs of tools that the client runs',
    body: ToolOutputsBody.meta({ id: 'ToolOutputs' }),
    errors: [...ANSWER_ERRORS, 'not_a_client_tool', ...SESSION_ERRORS],
    responses: { 200: json(OutputsRecorded, 'What was accepted, and what still waits.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const outputs = decodeToolOutputs(exchange.body)
      const recorded = await submitAnswers(context, row.id, { outputs, approvals: [], protocol: 'api' })
      const accepted = recorded.map(({ call_id, first }) => ({ tool_use_id: call_id, first }))
      return { session_id: row.id, accepted, pending: pendingOf(await context.sessions.facts(row.id)) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/pending',
    scope: 'read',
    id: 'listPending',
    tag: 'Conversation',
    summary: 'Everything that waits for a user or client, of all sessions',
    query: PendingQuery,
    errors: ['bad_request'],
    responses: { 200: json(PendingList, 'Approvals, questions and tools of clients.') },
    handle: async (exchange, context) => {
      const { limit, inputs } = exchange.parseQuery()
      return { pending: withInputs(await listPending(context, limit), inputs) }
    },
  }),
]

/** Approval ids are `apr_<session>.<random>`, so that none has to be searched for. Throws `approval_not_found`. */
function sessionOf(approvalId: string): string {
  const session = /^apr_([A-Za-z0-9_-]{1,128})\.[A-Za-z0-9_-]+$/.exec(approvalId)?.[1]
  if (session === undefined) throw new AppError('approval_not_found')
  return session
}
