/** Messages that wait for a run: sent without a stream, listed, changed, withdrawn, resumed. */
import { AppError } from '@toolwire/core'
import { appendMessage, changeQueued, readQueue, resumeQueue, withdrawQueued } from '@toolwire/session'
import { decodeChatRequest, MessageBody, QueuePatchBody } from '@toolwire/wire'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { emptyReply, reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { empty, json, QUEUE_ERRORS, SESSION_ERRORS } from '../openapi/operation.ts'
import { ChangedMessage, Queue, QueueResumed, SentMessage } from '../openapi/shapes/queue-shapes.ts'
import { checkModels } from '../sessions/check-models.ts'
import { findSession } from '../sessions/find-session.ts'

const QUEUED_ERRORS = ['message_not_found', 'already_delivered', ...SESSION_ERRORS] as const

export const queueRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/messages',
    scope: 'write',
    id: 'sendMessage',
    tag: 'Conversation',
    summary: 'Send a message and learn what becomes of it, without a stream',
    description: 'The events of the session show the rest.',
    headers: ['Idempotency-Key'],
    body: MessageBody.meta({ id: 'SendMessage' }),
    errors: ['bad_request', 'unknown_model', 'missing_key', 'conflict', ...QUEUE_ERRORS, ...SESSION_ERRORS],
    responses: { 202: json(SentMessage, 'The message is recorded.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      exchange.parseBody()
      const command = decodeChatRequest({ ...Object(exchange.body), session_id: row.id })
      if (command.type !== 'message') throw new AppError('bad_request')
      checkModels(context, command.input)
      const key = readIdempotencyKey(exchange)
      const { seq: _, ...sent } = await appendMessage(context.sessions, row.id, command.input, {
        key,
        guard: command.guard,
      })
      return reply(202, { session_id: row.id, ...sent })
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/queue',
    scope: 'read',
    id: 'listQueue',
    tag: 'Conversation',
    summary: 'Messages that wait, in the order in which they are delivered',
    errors: SESSION_ERRORS,
    responses: { 200: json(Queue, 'Empty when nothing waits.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const messages = await readQueue(context.sessions, row.id)
      return { session_id: row.id, queue_held: messages.some(one => one.waiting === 'held'), messages }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/queue/resume',
    scope: 'write',
    id: 'resumeQueue',
    tag: 'Conversation',
    summary: 'Let messages start runs that wait since a cancel or a failure',
    errors: SESSION_ERRORS,
    responses: { 200: json(QueueResumed, 'The messages, if any.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      return { session_id: row.id, resumed: await resumeQueue(context.sessions, row.id) }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/sessions/:id/queue/:message',
    scope: 'write',
    id: 'changeQueuedMessage',
    tag: 'Conversation',
    summary: 'Change, move or promote a message that waits',
    description: '`when_running: "steer"` sends it to the model with the next request of the run.',
    body: QueuePatchBody.meta({ id: 'ChangeMessage' }),
    errors: ['bad_request', 'conflict', 'queue_full', ...QUEUED_ERRORS],
    responses: { 200: json(ChangedMessage, 'The message; null if it was delivered with the change.') },
    handle: async (exchange, context) => {
      const { id, message: message_id } = exchange.params
      const row = await findSession(context, id)
      const { message: content, when_running, position, if_revision } = exchange.parseBody()
      if (content?.length === 0) throw new AppError('bad_request', 'message: must not be empty')
      if (content === undefined && when_running === undefined && position === undefined)
        throw new AppError('bad_request', 'message, when_running or position is required')
      const patch = { content, when_running, position, if_revision }
      const changed = await changeQueued(context.sessions, row.id, message_id, patch)
      return { session_id: row.id, message: changed ?? null }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id/queue/:message',
    scope: 'write',
    id: 'withdrawQueuedMessage',
    tag: 'Conversation',
    summary: 'Withdraw a message that waits',
    errors: QUEUED_ERRORS,
    responses: { 204: empty('No model will get it.') },
    handle: async (exchange, context) => {
      const { id, message } = exchange.params
      const row = await findSession(context, id)
      await withdrawQueued(context.sessions, row.id, message, context.principal().key_id ?? 'client')
      return emptyReply(204)
    },
  }),
]
