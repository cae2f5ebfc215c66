/** POST /v1/responses, and what clients do with a response by its id: read, follow, cancel. */
import { AppError } from '@toolwire/core'
import { collectSink, draftCancel, PATIENT } from '@toolwire/session'
import {
  answerEcho,
  decodeResponsesRequest,
  foldResponse,
  HEARTBEAT,
  type ResponseObject,
  ResponsesRequest,
  readReferences,
  responsesWire,
  responseVisible,
  toResponsesError,
  type Wire,
  withOptions,
} from '@toolwire/wire'
import { z } from 'zod'
import { defaultModel } from '../default-model.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Reply, reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { either, json } from '../openapi/operation.ts'
import { ResponseShape } from '../openapi/shapes/answer-shapes.ts'
import { ResponseEvent } from '../openapi/shapes/stream-shapes.ts'
import { readCaller } from './caller.ts'
import { ERRORS_OF_RUNS, RUN_HEADERS } from './describe-runs.ts'
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

export const responsesRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/responses',
    scope: 'gateway',
    id: 'createResponse',
    tag: 'Gateway',
    summary: 'Responses, as clients of OpenAI and codex send them',
    description: '`stream` chooses the stream, which ends with `[DONE]`; `background` returns at once.',
    errorShape: 'responses',
    headers: RUN_HEADERS,
    body: ResponsesRequest.meta({ id: 'ResponsesRequest' }),
    errors: ERRORS_OF_RUNS,
    responses: { 200: either(ResponseShape, ResponseEvent, 'The response, whole or as a stream.') },
    handle: async (exchange, { gateway: context }) => {
      const caller = readCaller(exchange)
      const { strict, downgrade } = caller
      const { previous, items } = readReferences(exchange.body)
      const decoded = decodeResponsesRequest(exchange.body, {
        strict,
        downgrade,
        model: defaultModel(context),
        ...(previous === undefined ? {} : { previous: await readConversation(context, previous) }),
        references: await readReferenced(context, items),
      })
      const { stream, background } = decoded
      if (stream) context.streams.check()
      const setup = toSetup(decoded, caller, context, PROTOCOL)
      const begun = await startOnce(context, exchange, caller, savePlan =>
        startAnswer(context, { request: decoded, caller, setup, keep: savePlan }),
      )
      const started = background ? { ...begun, pure: false } : begun
      const dialect = toDialect(setup.model)
      if (background && !stream) return await readStart(context, started, dialect)
      return await sendResponse(context, started, { exchange, dialect, stream, strict })
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/responses/:id',
    scope: 'gateway',
    id: 'getResponse',
    tag: 'Gateway',
    summary: 'A stored response as it is now, or its stream from any event on',
    errorShape: 'responses',
    query: z.object({ stream: z.string().optional(), starting_after: z.string().optional() }),
    errors: ['bad_request', 'not_found'],
    responses: { 200: either(ResponseShape, ResponseEvent, 'The response, whole or as a stream.') },
    handle: async (exchange, { gateway: context }) => {
      const found = await find(context, exchange.params.id)
      const { stream, starting_after } = exchange.parseQuery()
      if (stream !== 'true') return (await readResponse(context, found)).response
      context.streams.check()
      const dialect = toDialect(undefined, readPosition(starting_after))
      const options = { exchange, dialect, stream: true, strict: false, isReplay: true }
      return await sendResponse(context, toStarted(found), options)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    scope: 'gateway',
    id: 'cancelResponse',
    tag: 'Gateway',
    summary: 'Cancels a running response',
    errorShape: 'responses',
    errors: ['not_found'],
    responses: { 200: json(ResponseShape, 'The response at its end.') },
    handle: async (exchange, { gateway: context }) => {
      const found = await find(context, exchange.params.id)
      const { end, response } = await readResponse(context, found)
      if (end !== undefined) return response
      const { sessions } = context
      await sessions.append(draftCancel(found.session, 'cancelled by the client', sessions.stamp()))
      await followResponse(context, toStarted(found), collectSink(PATIENT), toFollow(responsesWire))
      return (await readResponse(context, found)).response
    },
  }),
]

/** A client that tries a WebSocket first continues over HTTP after this status, and repeats after any other. */
export function rejectWebSocket(exchange: Exchange): Reply | undefined {
  const { method, headers, url } = exchange
  if (method !== 'GET' || headers.upgrade === undefined || !/^\/v1\/responses(\?|$)/.test(url))
    return undefined
  exchange.setHeader('upgrade', 'HTTP/1.1')
  return reply(426, toResponsesError(NO_WEBSOCKET).body)
}

const NO_WEBSOCKET = {
  code: 'bad_request',
  message: 'This server has no WebSocket for responses; send POST /v1/responses.',
}

async function find(context: GatewayContext, id: string) {
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
