/** Sends a response of a vendor wire, streamed or as a whole. A client that leaves a pure gateway's response cancels it. */

import { AppError, cursorName, type Failure, writeJson } from '@toolwire/core'
import { collectSink, draftCancel, holdLast, vendorSseSink } from '@toolwire/session'
import type { Warning } from '@toolwire/wire'
import type { Exchange } from '../http/exchange.ts'
import { JSON_TYPE, type Reply, rawReply, reply } from '../http/reply.ts'
import { SseConnection } from '../http/sse.ts'
import { extendChain } from './chain.ts'
import { followResponse, type ResponseEnd, type ResponseStart } from './follow-response.ts'
import type { Dialect, GatewayContext, StartedAnswer } from './gateway-context.ts'
import { brokenOff, hasEnded, hasRunAfter } from './log-ahead.ts'

export interface SendOptions {
  readonly exchange: Exchange
  readonly dialect: Dialect
  readonly stream: boolean
  /** Reject a response to anything but the request as it is. */
  readonly strict: boolean
  /** The response is read again: nothing about its session changes. */
  readonly isReplay?: boolean
  /** The client sends a request again after its connection broke: the run waits so long for that. */
  readonly graceMs?: number
}

export async function sendResponse(
  context: GatewayContext,
  started: StartedAnswer,
  options: SendOptions,
): Promise<Reply | undefined> {
  const { exchange } = options
  const { session, from, warnings } = started
  exchange.setHeader('x-session-id', session)
  // Frames have no ids here: a reader that lost its connection reads the session's events after this position.
  exchange.setHeader('x-session-cursor', `${cursorName(session, context.lineage.current())}.${from}`)
  if (warnings.length > 0) exchange.setHeader('x-toolwire-warnings', toHeader(warnings))
  const { readers } = context
  readers.set(session, (readers.get(session) ?? 0) + 1)
  try {
    return options.stream
      ? await streamResponse(context, started, options)
      : await wholeResponse(context, started, options)
  } finally {
    const left = (readers.get(session) ?? 1) - 1
    if (left > 0) readers.set(session, left)
    else readers.delete(session)
  }
}

/** Headers wait for the first frame, at most one heartbeat long: a run that fails at once gets an HTTP status. */
async function streamResponse(
  context: GatewayContext,
  started: StartedAnswer,
  options: SendOptions,
): Promise<Reply | undefined> {
  const { exchange, dialect } = options
  const framing = {
    prelude: '',
    get heartbeat() {
      return dialect.heartbeat
    },
  }
  const sse = new SseConnection(exchange, () => performance.now(), framing)
  const leave = context.streams.add(sse, { lag: () => 0 })
  const late = setTimeout(() => sse.start(), context.settings.heartbeatMs)
  try {
    const held = holdLast(vendorSseSink(sse))
    const end = await followResponse(context, started, held, toOptions(started, options))
    if (end.type === 'closed' || end.isRejected) await abandon(context, started, options)
    if (end.type === 'closed') return undefined
    // A stored response that failed is found all the same: its events say so.
    if (end.failure && !sse.started && !options.isReplay) return toFailure(options, end.failure)
    if (!end.failure && !options.isReplay) await storeLabels(context, started, end, dialect)
    if (isCutOff(end, options) || held.isEmpty()) sse.destroy()
    else await held.release()
    sse.end()
  } catch (error) {
    if (!sse.started) throw error
    context.logger.error({ session: started.session, error: String(error) }, 'a stream was cut off')
    sse.destroy()
  } finally {
    clearTimeout(late)
    leave()
  }
  return undefined
}

/** A client that repeats its request gets the message that the run begins again, instead of an end. */
const isCutOff = (
  { isRejected, isRestarted }: Extract<ResponseEnd, { type: 'ended' }>,
  { graceMs = 0 }: SendOptions,
): boolean => isRejected || (isRestarted && graceMs > 0)

async function wholeResponse(
  context: GatewayContext,
  started: StartedAnswer,
  options: SendOptions,
): Promise<Reply | undefined> {
  const { exchange, dialect } = options
  const sink = collectSink(exchange.client)
  const held = holdLast(sink)
  const end = await followResponse(context, started, held, toOptions(started, options))
  if (end.type === 'ended' && end.isRestarted) {
    // The client has not seen what was aborted.
    const lost = await brokenOff(context, started)
    return await wholeResponse(context, { ...started, lost }, options)
  }
  if (end.type === 'closed' || end.isRejected) await abandon(context, started, options)
  if (end.type === 'closed') return undefined
  if (end.failure) return toFailure(options, end.failure)
  await storeLabels(context, started, end, dialect)
  await held.release()
  const body = dialect.fold(sink.frames)
  if (body.warnings) exchange.setHeader('x-toolwire-warnings', toHeader(body.warnings))
  return rawReply(200, writeJson(body), JSON_TYPE)
}

const toOptions = (started: StartedAnswer, { exchange, dialect, strict }: SendOptions) => ({
  wire: dialect.wire(started.warnings),
  strict,
  onStart: (start: ResponseStart) => describe(exchange, started, start),
})

/** Labels by which the next request of this conversation is found. Stored before the client can send it. */
async function storeLabels(
  context: GatewayContext,
  started: StartedAnswer,
  end: Extract<ResponseEnd, { type: 'ended' }>,
  dialect: Dialect,
): Promise<void> {
  const { session, chain, echo, setup, user, owner, notes } = started
  // A response that is read again after the conversation continued must not be found in its place.
  if (await hasRunAfter(context, session, end.seq)) return
  const whole = await extendChain(chain, [dialect.visible(end.blocks)])
  const echoed = echo === undefined ? undefined : await extendChain(echo, [dialect.echo(end.blocks)])
  await context.index.label(session, {
    chain: whole,
    echo: echoed,
    ...(end.call === undefined ? {} : { call: end.call, asked: whole, echo_asked: echoed, setup }),
    user,
    owner,
    notes,
  })
}

function toFailure({ exchange, dialect }: SendOptions, failure: Failure): Reply {
  const { status, body } = dialect.toError(failure, exchange.id)
  const wait = retryAfter(failure.details)
  if (wait !== undefined)
    exchange.setHeaders({ 'retry-after-ms': String(wait), 'retry-after': String(Math.ceil(wait / 1000)) })
  exchange.setHeader('x-should-retry', String(failure.retryable))
  return reply(status, body)
}

function retryAfter(details: unknown): number | undefined {
  const ms =
    typeof details === 'object' && details !== null && 'retry_after_ms' in details
      ? details.retry_after_ms
      : undefined
  return typeof ms === 'number' ? ms : undefined
}

/** Cancels a run that no client reads any more. A server that shuts down leaves it to the next start. */
async function abandon(
  context: GatewayContext,
  started: StartedAnswer,
  { graceMs = 0 }: SendOptions,
): Promise<void> {
  const { readers, streams } = context
  const { session, pure } = started
  const isAlone = (readers.get(session) ?? 1) <= 1
  if (!pure || !isAlone || streams.closed()) return
  if (graceMs === 0) return await cancel(context, session)
  const cancelLater = async (): Promise<void> => {
    const isNeeded = readers.has(session) || streams.closed()
    if (!isNeeded && !(await hasEnded(context, started))) await cancel(context, session)
  }
  setTimeout(() => {
    cancelLater().catch(error => {
      context.logger.error({ session, error: String(error) }, 'a run without readers was not cancelled')
    })
  }, graceMs).unref()
}

/** The session may be deleted by now. */
async function cancel({ sessions }: GatewayContext, session: string): Promise<void> {
  const draft = draftCancel(session, 'the client went away', sessions.stamp())
  await sessions.append(draft).catch(error => {
    if (!AppError.is(error)) throw error
  })
}

/**
 * The response names the model as the request does; the model that responds, and what it did not take, are in headers
 * while they can still be set.
 */
function describe(exchange: Exchange, { warnings }: StartedAnswer, start: ResponseStart): void {
  if (exchange.isStarted) return
  if (start.model && /^[\x20-\x7e]+$/.test(start.model)) exchange.setHeader('x-upstream-model', start.model)
  const all = [...warnings, ...start.warnings]
  if (all.length > 0) exchange.setHeader('x-toolwire-warnings', toHeader(all))
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
