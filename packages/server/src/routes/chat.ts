/** The streaming chat API: one POST per message or answer, one GET to resume a stream. */
import { AppError, type Follow, START } from '@toolwire/core'
import { appendMessage } from '@toolwire/session'
import { ChatBody, chatWire, decodeChatRequest } from '@toolwire/wire'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { emptyReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { SSE_HEADERS } from '../http/sse.ts'
import { empty, QUEUE_ERRORS, SESSION_ERRORS, stream } from '../openapi/operation.ts'
import { ChatFrame } from '../openapi/shapes/stream-shapes.ts'
import { checkModels } from '../sessions/check-models.ts'
import { findSession } from '../sessions/find-session.ts'
import { submitAnswers } from '../sessions/submit-answers.ts'
import { answerStream, readCursor } from '../stream/answer-stream.ts'
import { ANSWER_ERRORS } from './answers.ts'

const ResumeQuery = z.object({
  session_id: z.string().min(1).max(256),
  conversation_id: z.string().min(1).max(256).optional(),
  after: z.string().max(512).optional(),
})

export const chatRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/chat/stream',
    scope: 'write',
    id: 'chat',
    tag: 'Conversation',
    summary: 'Say something, or answer what the session waits for, and read the answer',
    description: 'Either `message`, or `tool_outputs` and `approvals`.',
    headers: ['Idempotency-Key'],
    body: ChatBody.meta({ id: 'ChatRequest' }),
    errors: [
      ...ANSWER_ERRORS,
      'not_a_client_tool',
      'approval_not_found',
      'unknown_model',
      'missing_key',
      'conflict',
      'shutting_down',
      ...QUEUE_ERRORS,
      ...SESSION_ERRORS,
    ],
    responses: { 200: stream(ChatFrame, 'The answer; it ends with `result` and `done`.') },
    handle: async (exchange, context) => {
      const command = decodeChatRequest(exchange.body)
      const row = await findSession(context, command.session_id)
      context.streams.check()
      const target =
        command.type === 'message'
          ? await followMessage(context, exchange, command)
          : await followAnswers(context, row.id, command)
      const plan = { session: row.id, wire: chatWire, cursor: START, ...target }
      return await answerStream(context, exchange, plan, true)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/chat/stream',
    scope: 'read',
    id: 'resumeChat',
    tag: 'Conversation',
    summary: 'Read an answer on after a cut',
    query: ResumeQuery,
    headers: ['Last-Event-ID'],
    errors: [
      'bad_request',
      'invalid_cursor',
      'log_reset',
      'run_not_found',
      'shutting_down',
      ...SESSION_ERRORS,
    ],
    responses: {
      200: stream(ChatFrame, 'The rest of the answer.'),
      204: empty('Nothing is left to read.'),
    },
    handle: async (exchange, context) => {
      const query = exchange.parseQuery()
      const row = await findSession(context, query.session_id)
      const conversation = query.conversation_id ?? (await context.sessions.facts(row.id)).conversation_id
      if (conversation === undefined) return emptyReply(204)
      const target: Follow = { kind: 'conversation', conversation_id: conversation }
      const cursor = readCursor(context, exchange, query.after, row)
      return await answerStream(context, exchange, { session: row.id, wire: chatWire, cursor, target }, false)
    },
    head: async exchange => {
      exchange.setHeaders(SSE_HEADERS)
      return emptyReply(200)
    },
  }),
]

/** The part of the session that is the response to a request. */
interface ChatResponse {
  readonly target: Follow
  readonly after: number
}

type Command<T> = Extract<ReturnType<typeof decodeChatRequest>, { type: T }>

async function followMessage(
  context: ServerContext,
  exchange: Exchange,
  command: Command<'message'>,
): Promise<ChatResponse> {
  const { session_id, input, guard } = command
  checkModels(context, input)
  const key = readIdempotencyKey(exchange)
  const appended = await appendMessage(context.sessions, session_id, input, { key, guard })
  const { run_id, seq } = appended
  exchange.setHeader('x-run-id', run_id)
  exchange.setHeader('x-message-id', appended.message_id)
  exchange.setHeader('x-delivery', appended.delivery)
  exchange.setHeader('x-queue-position', String(appended.position))
  return { target: { kind: 'run', run_id }, after: seq - 1 }
}

/** Follows from the latest answer, also if all answers were recorded before. */
async function followAnswers(
  context: ServerContext,
  session: string,
  command: Command<'answers'>,
): Promise<ChatResponse> {
  const { outputs, approvals } = command
  const recorded = await submitAnswers(context, session, { outputs, approvals, protocol: 'chat' })
  const seq = Math.max(...recorded.map(answer => answer.seq))
  if (seq === 0) throw new AppError('expired')
  return { target: { kind: 'answer', seq }, after: seq - 1 }
}
