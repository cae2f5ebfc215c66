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
  type ThreadCommand,
  type ThreadMessageCommand,
  type ThreadOptions,
  threadWire,
  toShows,
  withOptions,
} from '@toolwire/wire'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { actFor, mustHave } from '../access/principal.ts'
import { checkBudget } from '../access/spending.ts'
import { answerStream, readCursor, readPosition, type StreamPlan } from '../answer-stream.ts'
import { checkModels } from '../check-models.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { toClient } from '../response-client.ts'
import { createThread } from './create-thread.ts'
import { findThread, toThreadRef } from './find-thread.ts'
import { recordAnswers } from './record-answers.ts'
import { findTokenRun, prepareRun, startTokenRun, type TokenRun } from './run-token.ts'
import { sendAnswer } from './send-answer.ts'
import { installThreadErrors } from './thread-errors.ts'
import { toThreadView } from './thread-view.ts'

export const ReadQuery = z.object({
  after: z.string().max(512).optional(),
  include: z.string().max(256).optional(),
  follow: z.enum(['true', 'false', '1', '0', '']).optional(),
})

/** Adds the routes under /v4. */
export function addThreadRoutes(app: FastifyInstance, context: ServerContext): void {
  const routes = async (scope: FastifyInstance): Promise<void> => {
    installThreadErrors(scope, context)
    addResponseRoutes(scope, context)
    addTokenRoutes(scope, context)
    addThreadReadRoutes(scope, context)
  }
  app.register(routes, { prefix: '/v4' })
}

function addResponseRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post('/response', async (request, reply) => {
    const command = decodeThreadRequest(request.body)
    const stream = command.stream ?? acceptsStream(request)
    if (stream) context.streams.check()
    const response = await carryOut(context, request, command)
    if (response.target.kind === 'run') reply.header('x-run-id', response.target.run_id)
    if (stream) return await answerStream(context, reply, toPlan(response, command.shows), true)
    const sink = collectSink(toClient(reply), isFolded)
    const { type } = await context.sessions.follow({ ...response, wire: threadWire, cursor: START }, sink)
    if (type === 'deleted' || type === 'unknown') throw new AppError('session_deleted')
    return type === 'complete' ? sendAnswer(request, reply, foldThreadAnswer(sink.frames)) : reply
  })

  app.get('/response', { exposeHeadRoute: false }, async (request, reply) => {
    refuseOtherSites(request)
    const resumed = await resumedPlan(context, request)
    if (resumed) return await answerStream(context, reply, resumed, false)
    const command = decodeThreadQuery(request.query)
    // The method says read; this one writes.
    const principal = context.principal()
    mustHave(principal, 'write')
    await checkBudget(context.records, principal)
    context.streams.check()
    const response = await carryOut(context, request, command)
    return await answerStream(context, reply, toPlan(response, command.shows), true)
  })
}

function addTokenRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post('/prepare', async request => {
    const command = decodePrepareRequest(request.body)
    const session = await sessionOf(context, command, readIdempotencyKey(request))
    const { run_token, user_msg_id } = await prepareRun(context, session, command.input)
    return { run_token, thread_id: threadNo(session), user_msg_id }
  })

  type TokenParams = { Params: { run_token: string } }
  app.get<TokenParams>('/response/:run_token', { exposeHeadRoute: false }, async (request, reply) => {
    const run = await findTokenRun(context, request.params.run_token)
    // A token is as good as the key that made it, for as long as it is read.
    const maker = await context.keys.findHolder(run.prepared.key_id)
    if (!maker) throw new AppError('unauthorized')
    context.openRequests.add(maker.key_id, reply.raw)
    return await actFor(maker, () => readToken(context, request, reply, run))
  })
}

async function readToken(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  run: TokenRun,
): Promise<FastifyReply> {
  const query = parseBody(ReadQuery, request.query)
  const shows = toShows(query.include?.split(','))
  const cursor = readCursor(context, request, query.after, run.row)
  const { run_id } = run.prepared
  if (run.phase === 'pending') await checkBudget(context.records, context.principal())
  context.streams.check()
  if (run.phase === 'pending' && (await startTokenRun(context, run)))
    return await answerStream(
      context,
      reply,
      toPlan({ session: run.row.id, target: { kind: 'run', run_id } }, shows),
      true,
    )
  if (cursor === START && run.phase === 'over') return await reply.code(204).send()
  if (cursor === START) throw new AppError('already_running')
  return await answerStream(context, reply, { ...restOf(run.row.id, run_id, shows), cursor }, false)
}

function addThreadReadRoutes(app: FastifyInstance, context: ServerContext): void {
  type IdParams = { Params: { id: string } }
  app.get<IdParams>('/threads/:id', async request => {
    const row = await findThread(context, toThreadRef(request.params.id))
    return toThreadView(row, await context.sessions.facts(row.id))
  })

  app.get<IdParams>('/threads/:id/events', { exposeHeadRoute: false }, async (request, reply) => {
    const query = parseBody(ReadQuery, request.query)
    const row = await findThread(context, toThreadRef(request.params.id))
    const position = readPosition(context, request, query.after, row)
    const isOpenEnded = query.follow === 'true' || query.follow === '1' || query.follow === ''
    const shows = toShows(query.include?.split(','))
    const whole = toPlan({ session: row.id, target: { kind: 'session' } }, shows)
    return await answerStream(context, reply, { ...whole, ...position, isOpenEnded }, isOpenEnded)
  })
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
  request: FastifyRequest,
  command: ThreadCommand,
): Promise<ThreadResponse> {
  if (command.type === 'answers') {
    const { id } = await findThread(context, command.thread)
    const seq = await recordAnswers(context, id, command)
    return { session: id, target: { kind: 'answer', seq }, after: seq - 1 }
  }
  const key = readIdempotencyKey(request)
  const session = await sessionOf(context, command, key)
  checkModels(context.config, command.input)
  const { run_id, seq } = await appendMessage(context.sessions, session, command.input, key)
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
async function resumedPlan(context: ServerContext, request: FastifyRequest): Promise<StreamPlan | undefined> {
  const header = request.headers['last-event-id']
  if (typeof header !== 'string' || header === '') return undefined
  const query = parseBody(ReadQuery, request.query)
  const row = await findSession(context, header.split(/[.~]/, 1)[0] ?? '')
  const cursor = readCursor(context, request, undefined, row)
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

const acceptsStream = (request: FastifyRequest): boolean =>
  request.headers.accept?.includes('text/event-stream') ?? false

/** A GET that starts a run must not be one that another site's page made the browser send; those carry no Origin. */
function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (request.headers.origin === undefined) throw new AppError('bad_origin')
}
