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

/** Where a reader stands. */
interface Place {
  readonly cursor: Cursor
  /** The reader's place was in another history: it has to be told, and begins anew. */
  readonly reset?: { readonly head: number }
}

/** Where the reader stands: `Last-Event-ID` (newer on a reconnect) before `?after=`. Throws `invalid_cursor`. */
export function readPlace(
  context: Pick<ServerContext, 'lineage'>,
  request: FastifyRequest,
  after: string | undefined,
  row: SessionRow,
): Place {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : after
  if (text === undefined || text === '') return { cursor: START }
  const cursor = decodeCursor(text, row.id)
  // A bare number is of no history in particular; it can only be found to lie behind the end.
  const isForeign = !/^\d+$/.test(text) && (cursor.lineage ?? '') !== context.lineage.current()
  return isForeign || cursor.seq > row.head ? { cursor: START, reset: { head: row.head } } : { cursor }
}

/** As readPlace, for an answer that cannot begin anew: throws `log_reset` as well. */
export function readCursor(
  context: Pick<ServerContext, 'lineage'>,
  request: FastifyRequest,
  after: string | undefined,
  row: SessionRow,
): Cursor {
  const { cursor, reset } = readPlace(context, request, after, row)
  if (reset) throw new AppError('log_reset')
  return cursor
}
