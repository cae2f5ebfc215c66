/** From a plan to an answer over HTTP: the stream, or what is said instead of it. */
import { AppError, type Cursor, decodeCursor, type SessionRow, START } from '@toolwire/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from './context.ts'
import { type StreamPlan, streamSession } from './cursor-stream.ts'
import { SseConnection } from './sse.ts'

/**
 * Streams the plan. With `eager` the headers are flushed at once; otherwise a stream that has
 * nothing left to say becomes 204, and one that follows nothing known `run_not_found`.
 */
export async function answerStream(
  context: ServerContext,
  reply: FastifyReply,
  plan: StreamPlan,
  eager: boolean,
): Promise<FastifyReply> {
  const sse = new SseConnection(reply, () => performance.now())
  context.streams.check()
  if (eager) sse.start()
  const outcome = await streamSession(plan, sse, context).catch(error => {
    if (!sse.started) throw error
    sse.destroy()
    context.logger.error({ session: plan.session, error: String(error) }, 'a stream was cut off')
    return 'closed' as const
  })
  if (sse.started) return reply
  // The reader left before the first byte: there is nobody to answer.
  if (outcome === 'closed') return reply.hijack()
  if (outcome === 'unknown') throw new AppError('run_not_found')
  return reply.code(204).send()
}

/** Where the reader stands: `Last-Event-ID` (newer on a reconnect) before `?after=`. Throws `invalid_cursor`. */
export function readCursor(request: FastifyRequest, after: string | undefined, row: SessionRow): Cursor {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : after
  if (text === undefined || text === '') return START
  const cursor = decodeCursor(text, row.id)
  if (cursor.seq > row.head)
    throw new AppError('invalid_cursor', 'This cursor is beyond the end of the session.')
  return cursor
}
