/** The streaming chat API: one POST per message or answer, one GET to read on after a cut. */
import { AppError, START } from '@toolwire/core'
import { chatWire, decodeChatRequest, type Follow, parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { answerStream, readCursor } from '../answer-stream.ts'
import { appendAnswers } from '../append-answers.ts'
import { appendMessage } from '../append-message.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { SSE_HEADERS } from '../sse.ts'

export const ResumeQuery = z.object({
  session_id: z.string().min(1).max(256),
  conversation_id: z.string().min(1).max(256).optional(),
  after: z.string().max(512).optional(),
})

export function addChatRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post('/api/chat/stream', async (request, reply) => {
    const command = decodeChatRequest(request.body)
    const row = await findSession(context.store, command.session_id)
    context.streams.check()
    const target =
      command.type === 'message'
        ? await followMessage(context, request, reply, command)
        : { follow: await followAnswers(context, row.id, command) }
    const plan = { session: row.id, wire: chatWire, cursor: START, keepOpen: false, ...target }
    return await answerStream(context, reply, plan, true)
  })

  app.get('/api/chat/stream', { exposeHeadRoute: false }, async (request, reply) => {
    const query = parseBody(ResumeQuery, request.query)
    const row = await findSession(context.store, query.session_id)
    const conversation = query.conversation_id ?? (await context.summaries.get(row.id)).conversation_id
    if (conversation === undefined) return await reply.code(204).send()
    const follow: Follow = { kind: 'conversation', conversation_id: conversation }
    const cursor = readCursor(context, request, query.after, row)
    return await answerStream(
      context,
      reply,
      { session: row.id, wire: chatWire, cursor, follow, keepOpen: false },
      false,
    )
  })

  app.head('/api/chat/stream', async (_request, reply) => await reply.headers(SSE_HEADERS).send())
}

type Command<T> = Extract<ReturnType<typeof decodeChatRequest>, { type: T }>

async function followMessage(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  command: Command<'message'>,
): Promise<{ readonly follow: Follow; readonly after: number }> {
  const { run_id, seq } = await appendMessage(
    context,
    command.session_id,
    command.input,
    readIdempotencyKey(request),
  )
  reply.header('x-run-id', run_id)
  return { follow: { kind: 'run', run_id }, after: seq - 1 }
}

/** Follows from the latest answer; answers that were all given before are followed from where they were. */
async function followAnswers(
  context: ServerContext,
  session: string,
  command: Command<'answers'>,
): Promise<Follow> {
  const { outputs, approvals } = command
  const recorded = await appendAnswers(context, session, {
    outputs,
    approvals,
    by: 'client',
    protocol: 'chat',
  })
  const seq = Math.max(...recorded.map(answer => answer.seq))
  if (seq === 0) throw new AppError('expired')
  return { kind: 'answer', seq }
}
