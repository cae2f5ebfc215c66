/** POST /v1/responses, and what clients do with a response by its id: read, follow, cancel. */
import { AppError } from '@toolwire/core'
import { collectSink, draftCancel, PATIENT } from '@toolwire/session'
import {
  answerEcho,
  decodeResponsesRequest,
  foldResponse,
  HEARTBEAT,
  type ResponseObject,
  readReferences,
  responsesWire,
  responseVisible,
  toResponsesError,
  type Wire,
  withOptions,
} from '@toolwire/wire'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { defaultModel } from '../config.ts'
import { readCaller } from './caller.ts'
import { followResponse } from './follow-response.ts'
import type { Dialect, GatewayContext, StartedAnswer } from './gateway-context.ts'
import { sendResponse } from './send-response.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'
import { startOnce } from './start-once.ts'
import { findResponse, readConversation, readReferenced, readResponse, toStarted } from './stored-response.ts'

const PROTOCOL = 'openai-responses'
/** Some clients of this wire count events alone as signs of life. */
const KEEPALIVE = 'event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n'

export function addResponsesRoutes(app: FastifyInstance, context: GatewayContext): void {
  const { config } = context
  app.post('/responses', async (request, reply) => {
    const caller = readCaller(request)
    const { strict, downgrade } = caller
    const { previous, items } = readReferences(request.body)
    const decoded = decodeResponsesRequest(request.body, {
      strict,
      downgrade,
      model: defaultModel(config),
      ...(previous === undefined ? {} : { previous: await readConversation(context, previous) }),
      references: await readReferenced(context, items),
    })
    const { stream, background } = decoded
    if (stream) context.streams.check()
    const setup = toSetup(decoded, caller, config, PROTOCOL)
    const begun = await startOnce(context, request, caller, savePlan =>
      startAnswer(context, { request: decoded, caller, setup, keep: savePlan }),
    )
    const started = background ? { ...begun, pure: false } : begun
    const dialect = toDialect(setup.model)
    if (background && !stream) return await readStart(context, started, dialect)
    return await sendResponse(context, started, { request, reply, dialect, stream, strict })
  })

  // A client that tries a WebSocket first continues over HTTP after this status, and repeats after any other.
  app.addHook('onRequest', async (request, reply) => {
    const isSocket = request.method === 'GET' && request.headers.upgrade !== undefined
    if (isSocket && /^\/v1\/responses(\?|$)/.test(request.url))
      await reply.code(426).header('upgrade', 'HTTP/1.1').send(toResponsesError(NO_WEBSOCKET).body)
  })

  app.get<{ Params: { id: string }; Querystring: Record<string, string | undefined> }>(
    '/responses/:id',
    async (request, reply) => {
      const found = await find(context, request)
      if (request.query['stream'] !== 'true') return (await readResponse(context, found)).response
      context.streams.check()
      const dialect = toDialect(undefined, readPosition(request.query['starting_after']))
      const exchange = { request, reply, dialect, stream: true, strict: false, isReplay: true }
      return await sendResponse(context, toStarted(found), exchange)
    },
  )

  app.post<{ Params: { id: string } }>('/responses/:id/cancel', async request => {
    const found = await find(context, request)
    const { end, response } = await readResponse(context, found)
    if (end !== undefined) return response
    const { sessions } = context
    await sessions.append(draftCancel(found.session, 'cancelled by the client', sessions.stamp()))
    await followResponse(context, toStarted(found), collectSink(PATIENT), toFollow(responsesWire))
    return (await readResponse(context, found)).response
  })
}

const NO_WEBSOCKET = {
  code: 'bad_request',
  message: 'This server has no WebSocket for responses; send POST /v1/responses.',
}

async function find(context: GatewayContext, request: FastifyRequest<{ Params: { id: string } }>) {
  const { id } = request.params
  const found = await findResponse(context, id)
  if (found) return found
  throw new AppError('not_found', `Response with id ${JSON.stringify(id.slice(0, 200))} not found.`)
}

/** Throws `bad_request` for anything but a whole number. */
function readPosition(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new AppError('bad_request', 'starting_after: expected the sequence_number of an event')
}

const toFollow = (wire: Wire) => ({ wire, strict: false, onStart: () => {} })

/** The response right after its start; the run continues without a reader. */
async function readStart(
  context: GatewayContext,
  started: StartedAnswer,
  dialect: Dialect,
): Promise<ResponseObject> {
  const sink = collectSink({ ...PATIENT, isClosed: () => sink.frames.length > 0 })
  await followResponse(context, started, sink, toFollow(dialect.wire([])))
  const response = foldResponse(sink.frames)
  return response.status === 'in_progress' ? { ...response, status: 'queued' } : response
}

/** `after` is the number of the last event that the client has seen. */
function toDialect(model: string | undefined, after?: number): Dialect {
  const options = { ...(model === undefined ? {} : { model }), ...(after === undefined ? {} : { after }) }
  return {
    wire: () => withOptions(responsesWire, options),
    heartbeat: HEARTBEAT + KEEPALIVE,
    fold: foldResponse,
    visible: responseVisible,
    echo: blocks => answerEcho(blocks, {}),
    toError: problem => toResponsesError(problem),
  }
}
