/**
 * The thread protocol over HTTP: say something or answer a pause, streamed or not; prepare a
 * message for a browser's EventSource; read a thread on after a cut. Errors have this wire's shape.
 */
import { AppError, type Follow, START, threadNo } from '@toolwire/core'
import { appendMessage, collectSink } from '@toolwire/session'
import {
  decodePrepareRequest,
  decodeThreadQuery,
  decodeThreadRequest,
  type Frame,
  foldThreadAnswer,
  parseBody,
  ResponseBody,
  ResponseQuery,
  type ThreadCommand,
  ThreadInputForm,
  type ThreadMessageCommand,
  type ThreadOptions,
  threadWire,
  toShows,
  withOptions,
} from '@toolwire/wire'
import { z } from 'zod'
import { actFor, mustHave } from '../access/principal.ts'
import { checkBudget } from '../access/spending.ts'
import type { ServerContext } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { emptyReply, type Reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { either, empty, json, SESSION_ERRORS, stream } from '../openapi/operation.ts'
import { PreparedRun, Thread, ThreadAnswer } from '../openapi/shapes/answer-shapes.ts'
import { ThreadFrame } from '../openapi/shapes/stream-shapes.ts'
import { checkModels } from '../sessions/check-models.ts'
import { findSession } from '../sessions/find-session.ts'
import { answerStream, readCursor, readPosition, type StreamPlan } from '../stream/answer-stream.ts'
import { createThread } from './create-thread.ts'
import { findThread, toThreadRef } from './find-thread.ts'
import { recordAnswers } from './record-answers.ts'
import { findTokenRun, prepareRun, startTokenRun, type TokenRun } from './run-token.ts'
import { toAnswerReply } from './send-answer.ts'
import { toThreadView } from './thread-view.ts'

const ReadQuery = z.object({
  after: z.string().max(512).optional(),
  include: z.string().max(256).optional(),
  follow: z.enum(['true', 'false', '1', '0', '']).optional(),
})

/** Errors of a message that starts a run. */
const SENDING_ERRORS = [
  'bad_request',
  'unknown_model',
  'missing_key',
  'conflict',
  'payload_too_large',
  'shutting_down',
  ...SESSION_ERRORS,
] as const

/** The request reads its input by a function; this describes what that function takes. */
const Body = ResponseBody.extend({ input: ThreadInputForm.nullish(), message: ThreadInputForm.nullish() })

export const threadRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v4/response',
    scope: 'write',
    id: 'respond',
    tag: 'Thread protocol',
    summary: 'Say something in a thread, or answer what it waits for',
    description:
      '`stream`, or an Accept header of text/event-stream, chooses the stream. A run that fails is an HTTP error.',
    errorShape: 'thread',
    headers: ['Idempotency-Key'],
    body: Body.meta({ id: 'ThreadRequest' }),
    errors: [
      ...SENDING_ERRORS,
      'unknown_call',
      'not_a_client_tool',
      'already_answered',
      'expired',
      'model_rate_limited',
      'model_overloaded',
      'model_unavailable',
      'model_timeout',
    ],
    responses: { 200: either(ThreadAnswer, ThreadFrame, 'The answer, whole or as a stream.') },
    handle: async (exchange, context) => {
      const command = decodeThreadRequest(exchange.body)
      const stream = command.stream ?? acceptsStream(exchange)
      if (stream) context.streams.check()
      const response = await carryOut(context, exchange, command)
      if (response.target.kind === 'run') exchange.setHeader('x-run-id', response.target.run_id)
      if (stream) return await answerStream(context, exchange, toPlan(response, command.shows), true)
      const sink = collectSink(exchange.client, isFolded)
      const { type } = await context.sessions.follow({ ...response, wire: threadWire, cursor: START }, sink)
      if (type === 'deleted' || type === 'unknown') throw new AppError('session_deleted')
      return type === 'complete' ? toAnswerReply(foldThreadAnswer(sink.frames), exchange.id) : undefined
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v4/response',
    scope: 'read',
    id: 'respondToQuery',
    tag: 'Thread protocol',
    summary: 'The same for an EventSource, which can only GET',
    errorShape: 'thread',
    headers: ['Last-Event-ID', 'Idempotency-Key'],
    query: ResponseQuery.extend({
      thread_id: z.string().optional(),
      input: z.string().optional(),
      message: z.string().optional(),
      model: z.string().optional(),
    }),
    errors: [...SENDING_ERRORS, 'invalid_cursor', 'log_reset'],
    responses: {
      200: stream(ThreadFrame, 'The answer.'),
      204: empty('Nothing is left to read.'),
    },
    head: false,
    handle: async (exchange, context) => {
      rejectOtherSites(exchange)
      const resumed = await resumedPlan(context, exchange)
      if (resumed) return await answerStream(context, exchange, resumed, false)
      const command = decodeThreadQuery(exchange.query)
      // The method says read; this one writes.
      const principal = context.principal()
      mustHave(principal, 'write')
      await checkBudget(context.records, principal, context.clock.now())
      context.streams.check()
      const response = await carryOut(context, exchange, command)
      return await answerStream(context, exchange, toPlan(response, command.shows), true)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v4/prepare',
    scope: 'write',
    id: 'prepareRun',
    tag: 'Thread protocol',
    summary: 'Leave a message that is sent when its answer is first read',
    errorShape: 'thread',
    headers: ['Idempotency-Key'],
    body: Body.meta({ id: 'ThreadRequest' }),
    errors: SENDING_ERRORS,
    responses: { 200: json(PreparedRun, 'The token to read the answer with.') },
    handle: async (exchange, context) => {
      const command = decodePrepareRequest(exchange.body)
      const session = await sessionOf(context, command, readIdempotencyKey(exchange))
      const { run_token, user_msg_id } = await prepareRun(context, session, command.input)
      return { run_token, thread_id: threadNo(session), user_msg_id }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v4/response/:run_token',
    scope: 'open',
    id: 'readPreparedRun',
    tag: 'Thread protocol',
    summary: 'Send the prepared message and read its answer',
    description: 'The token is the credential: no key is needed.',
    errorShape: 'thread',
    query: ReadQuery,
    headers: ['Last-Event-ID'],
    errors: [
      'bad_request',
      'invalid_cursor',
      'log_reset',
      'run_not_found',
      'already_running',
      'shutting_down',
    ],
    responses: {
      200: stream(ThreadFrame, 'The answer.'),
      204: empty('It has been read already.'),
    },
    head: false,
    handle: async (exchange, context) => {
      const run = await findTokenRun(context, exchange.params.run_token)
      // A token is as good as the key that made it, for as long as it is read.
      const { credential, key_id } = run.prepared
      const maker = await context.credentials.findHolder(credential ?? key_id)
      if (!maker) throw new AppError('unauthorized')
      context.openRequests.add(maker.credential ?? null, exchange.client)
      return await actFor(maker, () => readToken(context, exchange, exchange.parseQuery(), run))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v4/threads/:id',
    scope: 'read',
    id: 'getThread',
    tag: 'Thread protocol',
    summary: 'Whether a thread waits, and for what',
    errorShape: 'thread',
    errors: SESSION_ERRORS,
    responses: { 200: json(Thread, 'The thread.') },
    handle: async (exchange, context) => {
      const row = await findThread(context, toThreadRef(exchange.params.id))
      return toThreadView(row, await context.sessions.facts(row.id))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v4/threads/:id/events',
    scope: 'read',
    id: 'streamThread',
    tag: 'Thread protocol',
    summary: 'Read a thread, and follow it',
    errorShape: 'thread',
    query: ReadQuery,
    headers: ['Last-Event-ID'],
    errors: ['bad_request', 'invalid_cursor', 'shutting_down', ...SESSION_ERRORS],
    responses: {
      200: stream(ThreadFrame, 'Events from the cursor on.'),
      204: empty('Nothing is left to read.'),
    },
    head: false,
    handle: async (exchange, context) => {
      const query = exchange.parseQuery()
      const row = await findThread(context, toThreadRef(exchange.params.id))
      const position = readPosition(context, exchange, query.after, row)
      const isOpenEnded = query.follow === 'true' || query.follow === '1' || query.follow === ''
      const shows = toShows(query.include?.split(','))
      const whole = toPlan({ session: row.id, target: { kind: 'session' } }, shows)
      return await answerStream(context, exchange, { ...whole, ...position, isOpenEnded }, isOpenEnded)
    },
  }),
]

async function readToken(
  context: ServerContext,
  exchange: Exchange,
  query: z.output<typeof ReadQuery>,
  run: TokenRun,
): Promise<Reply | undefined> {
  const shows = toShows(query.include?.split(','))
  const cursor = readCursor(context, exchange, query.after, run.row)
  const { run_id } = run.prepared
  if (run.phase === 'pending') await checkBudget(context.records, context.principal(), context.clock.now())
  context.streams.check()
  if (run.phase === 'pending' && (await startTokenRun(context, run)))
    return await answerStream(
      context,
      exchange,
      toPlan({ session: run.row.id, target: { kind: 'run', run_id } }, shows),
      true,
    )
  if (cursor === START && run.phase === 'over') return emptyReply(204)
  if (cursor === START) throw new AppError('already_running')
  return await answerStream(context, exchange, { ...restOf(run.row.id, run_id, shows), cursor }, false)
}

/** The part of a session that is the response to a request. */
interface ThreadResponse {
  readonly session: string
  readonly target: Follow
  readonly after?: number
}

/** Appends the command; returns the response to follow. */
async function carryOut(
  context: ServerContext,
  exchange: Exchange,
  command: ThreadCommand,
): Promise<ThreadResponse> {
  if (command.type === 'answers') {
    const { id } = await findThread(context, command.thread)
    const seq = await recordAnswers(context, id, command)
    return { session: id, target: { kind: 'answer', seq }, after: seq - 1 }
  }
  const key = readIdempotencyKey(exchange)
  const session = await sessionOf(context, command, key)
  checkModels(context, command.input)
  const { run_id, seq } = await appendMessage(context.sessions, session, command.input, {
    key,
    guard: command.guard,
  })
  return { session, target: { kind: 'run', run_id }, after: seq - 1 }
}

async function sessionOf(
  context: ServerContext,
  command: ThreadMessageCommand,
  key: string | undefined,
): Promise<string> {
  if (command.thread === undefined) return await createThread(context, command, key)
  return (await findThread(context, command.thread)).id
}

/** An EventSource that reconnects repeats its GET: its cursor names the run to read on, and nothing is sent again. */
async function resumedPlan(context: ServerContext, exchange: Exchange): Promise<StreamPlan | undefined> {
  const header = exchange.headers['last-event-id']
  if (typeof header !== 'string' || header === '') return undefined
  const query = parseBody(ReadQuery, exchange.query)
  const row = await findSession(context, header.split(/[.~]/, 1)[0] ?? '')
  const cursor = readCursor(context, exchange, undefined, row)
  const [rec] = await context.store.read(row.id, cursor.seq - 1, 1)
  const run_id = rec?.ev.run_id
  if (run_id === undefined) throw new AppError('invalid_cursor')
  return { ...restOf(row.id, run_id, toShows(query.include?.split(','))), cursor }
}

/** For an EventSource that reconnects: the run and those that resume it. It waits out a pause that it has seen. */
const restOf = (session: string, run_id: string, shows: ThreadOptions): StreamPlan => ({
  ...toPlan({ session, target: { kind: 'conversation', conversation_id: run_id } }, shows),
  awaitsResume: true,
})

const toPlan = (response: ThreadResponse, shows: ThreadOptions): StreamPlan => ({
  ...response,
  wire: withOptions(threadWire, { ...shows }),
  cursor: START,
})

/** Frames that the fold of a response reads: the others would only cost memory. */
const isFolded = (frame: Frame): boolean =>
  /^(conversation|iteration|text|refusal)\.(?!chunk)/.test(frame.event ?? '')

const acceptsStream = ({ headers }: Exchange): boolean =>
  headers.accept?.includes('text/event-stream') ?? false

/** A GET that starts a run must not be one that another site's page made the browser send; those carry no Origin. */
function rejectOtherSites({ headers }: Exchange): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (headers.origin === undefined) throw new AppError('bad_origin')
}
