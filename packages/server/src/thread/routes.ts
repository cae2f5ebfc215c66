/**
 * The thread protocol over HTTP: say something or answer a pause, streamed or not; prepare a
 * message for a browser's EventSource; read a thread on after a cut. Errors have this wire's shape.
 */
import { AppError, START, threadNo } from '@toolwire/core'
import {
  decodePrepareRequest,
  decodeThreadQuery,
  decodeThreadRequest,
  type Follow,
  parseBody,
  type ThreadCommand,
  type ThreadMessageCommand,
  type ThreadOptions,
  threadWire,
  toShows,
  type Wire,
} from '@toolwire/wire'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkKeyOf } from '../access/check-key-of.ts'
import { actFor, mustHave } from '../access/principal.ts'
import { checkBudget } from '../access/spending.ts'
import { answerStream, readCursor, readPlace } from '../answer-stream.ts'
import { appendMessage } from '../append-message.ts'
import type { ServerContext } from '../context.ts'
import type { StreamPlan } from '../cursor-stream.ts'
import { findSession } from '../find-session.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { collectAnswer } from './collect-answer.ts'
import { createThread } from './create-thread.ts'
import { findThread, toThreadRef } from './find-thread.ts'
import { recordAnswers } from './record-answers.ts'
import { findTokenRun, prepareRun, startTokenRun } from './run-token.ts'
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
    const { session, follow } = await carryOut(context, request, command)
    if (follow.kind === 'run') reply.header('x-run-id', follow.run_id)
    if (stream) return await answerStream(context, reply, plan(session, follow, command.shows), true)
    const answer = await collectAnswer(context, { session, follow }, reply.raw)
    return answer ? sendAnswer(request, reply, answer) : reply
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
    const { session, follow } = await carryOut(context, request, command)
    return await answerStream(context, reply, plan(session, follow, command.shows), true)
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
    const query = parseBody(ReadQuery, request.query)
    const run = await findTokenRun(context, request.params.run_token)
    const follow: Follow = { kind: 'run', run_id: run.prepared.run_id }
    const shows = toShows(query.include?.split(','))
    const cursor = readCursor(context, request, query.after, run.row)
    const maker = run.phase === 'pending' ? await checkKeyOf(context, run.prepared.key_id) : undefined
    context.streams.check()
    if (
      run.phase === 'pending' &&
      (await actFor(maker ?? context.principal(), () => startTokenRun(context, run)))
    )
      return await answerStream(context, reply, plan(run.row.id, follow, shows), true)
    if (cursor === START && run.phase === 'over') return await reply.code(204).send()
    if (cursor === START) throw new AppError('already_running')
    return await answerStream(context, reply, { ...plan(run.row.id, follow, shows), cursor }, false)
  })
}

function addThreadReadRoutes(app: FastifyInstance, context: ServerContext): void {
  type IdParams = { Params: { id: string } }
  app.get<IdParams>('/threads/:id', async request => {
    const row = await findThread(context, toThreadRef(request.params.id))
    return toThreadView(row, await context.summaries.get(row.id))
  })

  app.get<IdParams>('/threads/:id/events', { exposeHeadRoute: false }, async (request, reply) => {
    const query = parseBody(ReadQuery, request.query)
    const row = await findThread(context, toThreadRef(request.params.id))
    const place = readPlace(context, request, query.after, row)
    const keepOpen = query.follow === 'true' || query.follow === '1' || query.follow === ''
    const shows = toShows(query.include?.split(','))
    const whole = plan(row.id, { kind: 'session' }, shows)
    return await answerStream(context, reply, { ...whole, ...place, keepOpen }, keepOpen)
  })
}

interface Started {
  readonly session: string
  readonly follow: Follow
}

/** Appends what the request asks for; says which part of the session is its answer. */
async function carryOut(
  context: ServerContext,
  request: FastifyRequest,
  command: ThreadCommand,
): Promise<Started> {
  if (command.type === 'answers') {
    const { id } = await findThread(context, command.thread)
    return { session: id, follow: { kind: 'answer', seq: await recordAnswers(context, id, command) } }
  }
  const key = readIdempotencyKey(request)
  const session = await sessionOf(context, command, key)
  const { run_id } = await appendMessage(context, session, command.input, key)
  return { session, follow: { kind: 'run', run_id } }
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
  const row = await findSession(context.store, header.split(/[.~]/, 1)[0] ?? '')
  const cursor = readCursor(context, request, undefined, row)
  const [rec] = await context.store.read(row.id, cursor.seq - 1, 1)
  const run_id = rec?.ev.run_id
  if (run_id === undefined) throw new AppError('invalid_cursor')
  return { ...plan(row.id, { kind: 'run', run_id }, toShows(query.include?.split(','))), cursor }
}

const plan = (session: string, follow: Follow, shows: ThreadOptions): StreamPlan => ({
  session,
  wire: showing(shows),
  cursor: START,
  follow,
  keepOpen: false,
})

const showing = (shows: ThreadOptions): Wire => ({
  id: threadWire.id,
  open: context => threadWire.open({ ...context, options: { ...shows } }),
})

const acceptsStream = (request: FastifyRequest): boolean =>
  request.headers.accept?.includes('text/event-stream') ?? false

/** A GET that starts a run must not be one that another site's page made the browser send; those carry no Origin. */
function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (request.headers.origin === undefined) throw new AppError('bad_origin')
}
