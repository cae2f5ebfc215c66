/** Streams a followed session over HTTP, or sends the response that replaces an empty stream. */
import { AppError, type Cursor, cursorName, decodeCursor, type SessionRow, START } from '@toolwire/core'
import { type FollowPlan, sseSink } from '@toolwire/session'
import { chatWire, encodeLogReset } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { emptyReply, type Reply } from '../http/reply.ts'
import { SseConnection } from '../http/sse.ts'

export interface StreamPlan extends FollowPlan {
  /** The reader learns first that the history it knows is void. */
  readonly reset?: { readonly head: number } | undefined
  /** Written before the first frame. */
  readonly prelude?: string
}

/**
 * Streams the plan. With `eager` the headers are flushed at once; otherwise a stream without a frame becomes 204, and
 * one whose target is unknown `run_not_found`.
 */
export async function answerStream(
  context: ServerContext,
  exchange: Exchange,
  plan: StreamPlan,
  eager: boolean,
): Promise<Reply | undefined> {
  if ((await context.ports.hasWorker?.()) === false) exchange.setHeader('x-toolwire-worker', 'none')
  const sse = new SseConnection(exchange, () => performance.now())
  context.streams.check()
  if (eager) sse.start()
  try {
    const end = await stream(context, sse, plan)
    if (sse.closed && !sse.started) return undefined
    if (!sse.started && end.type === 'unknown') throw new AppError('run_not_found')
    if (!sse.started && end.type === 'complete') return emptyReply(204)
    if (end.type !== 'complete') sse.destroy()
    else if (plan.wire.end !== undefined) await sse.write(plan.wire.end)
    sse.end()
  } catch (error) {
    if (!sse.started) throw error
    sse.destroy()
    context.logger.error({ session: plan.session, error: String(error) }, 'a stream was cut off')
  }
  return undefined
}

async function stream({ sessions, streams, lineage }: ServerContext, sse: SseConnection, plan: StreamPlan) {
  const progress = { head: 0, position: 0 }
  const leave = streams.add(sse, { lag: () => Math.max(0, progress.head - progress.position) })
  try {
    const { session, wire, reset } = plan
    if (reset) await sse.write(encodeLogReset({ session_id: session, ...reset }, wire.id !== chatWire.id))
    if (plan.prelude !== undefined) await sse.write(plan.prelude)
    const name = cursorName(session, lineage.current())
    return await sessions.follow({ ...plan, progress }, sseSink(sse, name))
  } finally {
    leave()
  }
}

/** The position from which a reader resumes. */
interface ResumePosition {
  readonly cursor: Cursor
  /** The reader's cursor belongs to another history: it starts again. */
  readonly reset?: { readonly head: number }
}

/** Reads `Last-Event-ID` (newer on a reconnect), else `?after=`. Throws `invalid_cursor`. */
export function readPosition(
  context: Pick<ServerContext, 'lineage'>,
  { headers }: Exchange,
  after: string | undefined,
  row: SessionRow,
): ResumePosition {
  const header = headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : after
  if (text === undefined || text === '') return { cursor: START }
  const cursor = decodeCursor(text, row.id)
  // A bare number has no lineage; it is only known to be wrong if it lies after the end.
  const isForeign = !/^\d+$/.test(text) && (cursor.lineage ?? '') !== context.lineage.current()
  return isForeign || cursor.seq > row.head ? { cursor: START, reset: { head: row.head } } : { cursor }
}

/** As `readPosition`, for a response that cannot start again: also throws `log_reset`. */
export function readCursor(
  context: Pick<ServerContext, 'lineage'>,
  exchange: Exchange,
  after: string | undefined,
  row: SessionRow,
): Cursor {
  const { cursor, reset } = readPosition(context, exchange, after, row)
  if (reset) throw new AppError('log_reset')
  return cursor
}
