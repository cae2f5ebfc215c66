/** The streaming chat API: one POST per message or answer, one GET to resume a stream. */
import { AppError, type Follow, START } from '@toolwire/core'
import { appendMessage } from '@toolwire/session'
import { chatWire, decodeChatRequest, parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { answerStream, readCursor } from '../answer-stream.ts'
import { checkModels } from '../check-models.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { SSE_HEADERS } from '../sse.ts'
import { submitAnswers } from '../submit-answers.ts'

export const ResumeQuery = z.object({
  session_id: z.string().min(1).max(256),
  conversation_id: z.string().min(1).max(256).optional(),
  after: z.string().max(512).optional(),
})

export function addChatRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post('/api/chat/stream', async (request, reply) => {
    const command = decodeChatRequest(request.body)
    const row = await findSession(context, command.session_id)
    context.streams.check()
    const target =
      command.type === 'message'
        ? await followMessage(context, request, reply, command)
        : await followAnswers(context, row.id, command)
    const plan = { session: row.id, wire: chatWire, cursor: START, ...target }
    return await answerStream(context, reply, plan, true)
  })

  app.get('/api/chat/stream', { exposeHeadRoute: false }, async (request, reply) => {
    const query = parseBody(ResumeQuery, request.query)
    const row = await findSession(context, query.session_id)
    const conversation = query.conversation_id ?? (await context.sessions.facts(row.id)).conversation_id
    if (conversation === undefined) return await reply.code(204).send()
    const target: Follow = { kind: 'conversation', conversation_id: conversation }
    const cursor = readCursor(context, request, query.after, row)
    return await answerStream(context, reply, { session: row.id, wire: chatWire, cursor, target }, false)
  })

  app.head('/api/chat/stream', async (_request, reply) => await reply.headers(SSE_HEADERS).send())
}

/** The part of the session that is the response to a request. */
interface ChatResponse {
  readonly target: Follow
  readonly after: number
}

type Command<T> = Extract<ReturnType<typeof decodeChatRequest>, { type: T }>

async function followMessage(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  command: Command<'message'>,
): Promise<ChatResponse> {
  const { session_id, input } = command
  checkModels(context.config, input)
  const key = readIdempotencyKey(request)
  const { run_id, seq } = await appendMessage(context.sessions, session_id, input, key)
  reply.header('x-run-id', run_id)
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
