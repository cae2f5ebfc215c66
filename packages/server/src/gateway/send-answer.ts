/** An answer over HTTP, streamed or whole. A client that leaves a pure gateway's answer cancels it. */
import { AppError, type Failure, writeJson } from '@toolwire/core'
import { encodeSse, type SentFrame, type Warning } from '@toolwire/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SseConnection } from '../sse.ts'
import type { GatewayContext, StartedAnswer } from './answer-plan.ts'
import { extendChain } from './chain.ts'
import type { Dialect } from './dialect.ts'
import { brokenOff, hasRunAfter } from './log-ahead.ts'
import { type AnswerEnd, type AnswerReader, type AnswerStart, readAnswer } from './read-answer.ts'

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly dialect: Dialect
  readonly stream: boolean
  /** Refuse an answer to anything but the request as it is. */
  readonly strict: boolean
}

export async function sendAnswer(
  context: GatewayContext,
  started: StartedAnswer,
  exchange: Exchange,
): Promise<FastifyReply> {
  const { reply } = exchange
  reply.header('x-session-id', started.session)
  if (started.warnings.length > 0) reply.header('x-toolwire-warnings', toHeader(started.warnings))
  const { readers } = context
  const { session } = started
  readers.set(session, (readers.get(session) ?? 0) + 1)
  try {
    return exchange.stream
      ? await streamAnswer(context, started, exchange)
      : await wholeAnswer(context, started, exchange)
  } finally {
    const left = (readers.get(session) ?? 1) - 1
    if (left > 0) readers.set(session, left)
    else readers.delete(session)
  }
}

/** Headers wait for the first frame, so that a run that fails at once gets a status of its own, but not for ever. */
async function streamAnswer(
  context: GatewayContext,
  started: StartedAnswer,
  exchange: Exchange,
): Promise<FastifyReply> {
  const { reply, dialect } = exchange
  const sse = new SseConnection(reply, () => performance.now(), dialect.heartbeat)
  const late = setTimeout(() => sse.start(), context.config.heartbeatMs)
  const reader: AnswerReader = {
    closed: () => sse.closed,
    onChange(ring) {
      sse.onClose(ring)
      return context.streams.add(sse, { ring, lag: () => 0 })
    },
    strict: exchange.strict,
    begin: start => describe(reply, started, start),
    take: frames => sse.write(frames.map(encodeSse).join('')),
  }
  try {
    const end = await readAnswer(context, started, dialect.wire(started.warnings), reader)
    if (end.type === 'closed') {
      await abandon(context, started)
      return reply
    }
    if (end.refused) await abandon(context, started)
    if (end.failure && !sse.started) return refuse(exchange, end.failure)
    if (!end.failure) await leaveLabels(context, started, end, dialect)
    if (end.last.length === 0) sse.destroy()
    else await reader.take(end.last)
    sse.end()
    return reply
  } catch (error) {
    if (!sse.started) throw error
    context.logger.error({ session: started.session, error: String(error) }, 'a stream was cut off')
    sse.destroy()
    return reply
  } finally {
    clearTimeout(late)
  }
}

async function wholeAnswer(
  context: GatewayContext,
  started: StartedAnswer,
  exchange: Exchange,
): Promise<FastifyReply> {
  const { reply, dialect } = exchange
  const frames: SentFrame[] = []
  const reader: AnswerReader = {
    closed: () => reply.raw.destroyed,
    onChange(ring) {
      reply.raw.once('close', ring)
      return () => reply.raw.off('close', ring)
    },
    strict: exchange.strict,
    begin: start => describe(reply, started, start),
    take(more) {
      frames.push(...more)
      return undefined
    },
  }
  let end = await readAnswer(context, started, dialect.wire(started.warnings), reader)
  while (end.type === 'ended' && end.anew) {
    // Nobody has seen what broke off.
    frames.length = 0
    const lost = await brokenOff(context, started)
    end = await readAnswer(context, { ...started, lost }, dialect.wire(started.warnings), reader)
  }
  if (end.type === 'closed') {
    await abandon(context, started)
    return reply
  }
  frames.push(...end.last)
  if (end.refused) await abandon(context, started)
  if (end.failure) return refuse(exchange, end.failure)
  await leaveLabels(context, started, end, dialect)
  const body = dialect.fold(frames)
  if (body.warnings) reply.header('x-toolwire-warnings', toHeader(body.warnings))
  return await reply.type('application/json; charset=utf-8').send(writeJson(body))
}

/** What the next request of this conversation is found by. Stored before the client can send it. */
async function leaveLabels(
  context: GatewayContext,
  started: StartedAnswer,
  end: Extract<AnswerEnd, { type: 'ended' }>,
  dialect: Dialect,
): Promise<void> {
  const { session, chain, setup, user } = started
  // An answer that is read again, after the conversation has gone on, must not be found in its place.
  if (await hasRunAfter(context, session, end.seq)) return
  const whole = extendChain(chain, [dialect.visible(end.blocks)])
  await context.index.label(session, {
    chain: whole,
    ...(end.call === undefined ? {} : { call: end.call, asked: whole, setup }),
    ...(user === undefined ? {} : { user }),
  })
}

function refuse({ request, reply, dialect }: Exchange, failure: Failure): FastifyReply {
  const { status, body } = dialect.toError(failure, request.id)
  const wait = retryAfter(failure.details)
  if (wait !== undefined)
    reply.header('retry-after-ms', String(wait)).header('retry-after', String(Math.ceil(wait / 1000)))
  reply.header('x-should-retry', String(failure.retryable))
  return reply.code(status).send(body)
}

function retryAfter(details: unknown): number | undefined {
  const ms =
    typeof details === 'object' && details !== null && 'retry_after_ms' in details
      ? details.retry_after_ms
      : undefined
  return typeof ms === 'number' ? ms : undefined
}

/** Nobody reads the answer any more. A server that goes down leaves the run to the next start. */
async function abandon(context: GatewayContext, started: StartedAnswer): Promise<void> {
  const isAlone = (context.readers.get(started.session) ?? 1) <= 1
  if (!started.pure || !isAlone || isStopping(context)) return
  const { store, ids, clock, runtime } = context
  const event = {
    type: 'input.cancel',
    ts: clock.now().toISOString(),
    run_id: ids.uuid(),
    reason: 'the client went away',
    by: 'client',
  } as const
  await store.append([{ session: started.session, events: [event], state: 'running' }])
  runtime.wake(started.session)
}

function isStopping(context: GatewayContext): boolean {
  try {
    context.streams.check()
    return false
  } catch (error) {
    return AppError.is(error) && error.code === 'shutting_down'
  }
}

/**
 * The id that the request named is in the answer; who really answers, and what it did not take,
 * stands in headers while they can still be set.
 */
function describe(reply: FastifyReply, { warnings }: StartedAnswer, start: AnswerStart): void {
  if (reply.raw.headersSent) return
  if (start.model && /^[\x20-\x7e]+$/.test(start.model)) reply.header('x-upstream-model', start.model)
  const all = [...warnings, ...start.warnings]
  if (all.length > 0) reply.header('x-toolwire-warnings', toHeader(all))
}

const MAX_HEADER = 4000

/** Headers hold ASCII alone, and not much of it; what does not fit is in the answer's own field. */
function toHeader(warnings: readonly Warning[]): string {
  const text = JSON.stringify(warnings).replaceAll(
    /[^\x20-\x7e]/g,
    c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length <= MAX_HEADER ? text : toHeader(warnings.slice(0, -1))
}
