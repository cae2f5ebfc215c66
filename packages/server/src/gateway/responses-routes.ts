/** POST /v1/responses and its helpers: the summary of a conversation, and the length of a request. */
import { AppError } from '@toolwire/core'
import { collectSink, PATIENT } from '@toolwire/session'
import {
  decodeResponsesRequest,
  estimateValue,
  foldResponse,
  type ResponseObject,
  type ResponsesGatewayRequest,
  ResponsesRequest,
  readReferences,
  toResponsesError,
} from '@toolwire/wire'
import { type Exchange, toSignal } from '../http/exchange.ts'
import { type Reply, reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { either, json } from '../openapi/operation.ts'
import { ResponseShape } from '../openapi/shapes/answer-shapes.ts'
import { CompactionShape, InputTokensShape } from '../openapi/shapes/responses-shapes.ts'
import { ResponseEvent } from '../openapi/shapes/stream-shapes.ts'
import { defaultModel } from '../sessions/default-model.ts'
import { type Caller, readCaller } from './caller.ts'
import { type Conversation, createConversations } from './conversations.ts'
import { countTokens } from './count-tokens.ts'
import { ERRORS_OF_RUNS, RUN_HEADERS } from './describe-runs.ts'
import { followResponse } from './follow-response.ts'
import type { Dialect, GatewayContext, SavePlan, Setup, StartedAnswer } from './gateway-context.ts'
import { readRepeatKey, readTurn } from './repeated-request.ts'
import { toResponsesDialect } from './responses-dialect.ts'
import { searchServices } from './search-service.ts'
import { sendResponse } from './send-response.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'
import { startOnce } from './start-once.ts'
import { readConversation, readReferenced } from './stored-response.ts'
import { whenFree } from './when-free.ts'

const PROTOCOL = 'openai-responses'

const body = ResponsesRequest.meta({ id: 'ResponsesRequest' })

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
    body,
    errors: ERRORS_OF_RUNS,
    responses: { 200: either(ResponseShape, ResponseEvent, 'The response, whole or as a stream.') },
    handle: async (exchange, { gateway: context }) => {
      const asked = await readRequest(context, exchange, exchange.body)
      const { stream, background } = asked.decoded
      if (stream) context.streams.check()
      const begun = await start(context, exchange, asked)
      const started = background ? { ...begun, pure: false } : begun
      const dialect = await toResponsesDialect(context, { model: asked.setup.model })
      if (background && !stream) return await readStart(context, started, dialect)
      const { strict } = asked.caller
      const graceMs = asked.isCodex ? context.settings.repeatGraceMs : 0
      return await sendResponse(context, started, { exchange, dialect, stream, strict, graceMs })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/responses/input_tokens',
    scope: 'gateway',
    id: 'countInputTokens',
    tag: 'Gateway',
    summary: 'The tokens of a request',
    description: 'The header `x-token-count` is `provider` or `estimate`.',
    errorShape: 'responses',
    body,
    errors: ['bad_request', 'unknown_model', 'missing_key', 'not_found'],
    responses: { 200: json(InputTokensShape, 'The count.') },
    handle: async (exchange, { gateway: context }) => {
      const { decoded } = await readRequest(context, exchange, exchange.body)
      const { history, tail, client_tools } = decoded
      const estimate = estimateValue([history, tail, client_tools])
      const signal = toSignal(exchange.client)
      const counted = await countTokens(context, decoded, { estimate, signal })
      exchange.setHeader('x-token-count', counted.is_estimate ? 'estimate' : 'provider')
      return { object: 'response.input_tokens', input_tokens: counted.input_tokens }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/responses/compact',
    scope: 'gateway',
    id: 'compactConversation',
    tag: 'Gateway',
    summary: 'A conversation as one sealed item that takes its place',
    errorShape: 'responses',
    headers: RUN_HEADERS,
    body,
    errors: [...ERRORS_OF_RUNS, 'not_found'],
    responses: { 200: json(CompactionShape, 'The summary.') },
    handle: async (exchange, { gateway: context }) => await compact(context, exchange),
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

interface AskedResponse {
  readonly decoded: ResponsesGatewayRequest
  readonly caller: Caller
  readonly setup: Setup
  readonly conversation: Conversation | undefined
  /** Codex repeats a request whose connection broke. */
  readonly isCodex: boolean
}

/** Throws AppError for a request that cannot be answered. */
async function readRequest(
  context: GatewayContext,
  exchange: Exchange,
  sent: unknown,
): Promise<AskedResponse> {
  const caller = readCaller(exchange)
  const { strict, downgrade } = caller
  const { previous, conversation: named, items } = readReferences(sent)
  if (previous !== undefined && named !== undefined)
    throw new AppError('bad_request', 'conversation: give it or previous_response_id, not both')
  const conversations = createConversations(context)
  const conversation = named === undefined ? undefined : await conversations.get(named)
  const before =
    previous === undefined
      ? conversation && (await conversations.messages(conversation))
      : await readConversation(context, previous)
  const sealer = await context.sealer()
  const { owner } = context.principal()
  const isCodex = isFromCodex(exchange, sent)
  const decoded = decodeResponsesRequest(sent, {
    strict,
    downgrade,
    model: defaultModel(context),
    ...(before === undefined ? {} : { previous: before }),
    references: await readReferenced(context, items),
    unseal: sealed => sealer.open(owner, sealed),
    search: searchServices(context),
    plainRefusals: isCodex,
  })
  // Codex sends it with every request of a thread.
  const user = decoded.user ?? textOf(exchange.headers['session-id'])
  const request = { ...decoded, user }
  return {
    decoded: request,
    caller,
    setup: toSetup(request, caller, context, PROTOCOL),
    conversation,
    isCodex,
  }
}

const textOf = (header: unknown): string | undefined =>
  typeof header === 'string' && header !== '' ? header.slice(0, 512) : undefined

function isFromCodex({ headers }: Exchange, sent: unknown): boolean {
  const { originator } = headers
  const { client_metadata } = Object(sent) as { readonly client_metadata?: unknown }
  return (
    (typeof originator === 'string' && originator.startsWith('codex')) ||
    readTurn(client_metadata) !== undefined
  )
}

async function start(
  context: GatewayContext,
  exchange: Exchange,
  { decoded, caller, setup, conversation }: AskedResponse,
): Promise<StartedAnswer> {
  const { compacts: isApart } = decoded
  const keyed = readRepeatKey(exchange, caller, { hasMarks: true })
  const answer = (keep?: SavePlan) =>
    whenFree(() => startAnswer(context, { request: decoded, caller, setup, keep, isApart }))
  // Another node may be starting the response of the same request.
  const started = await whenFree(() => startOnce(context, keyed, answer))
  if (!decoded.store) await context.index.label(started.session, { unstored: 'true' })
  if (conversation && !isApart) {
    const { instructions } = Object(exchange.body) as { readonly instructions?: unknown }
    const sent = typeof instructions === 'string' ? instructions : undefined
    await createConversations(context).move(conversation, started.session, sent)
  }
  return started
}

/** The conversation as one sealed item, which takes its place in later requests. */
async function compact(context: GatewayContext, exchange: Exchange): Promise<Reply | undefined> {
  const { input, ...rest } = Object(exchange.body) as Record<string, unknown>
  const list = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  if (!Array.isArray(list)) throw new AppError('bad_request', 'input: expected a text or a list of items')
  const sent = { ...rest, input: [...list, { type: 'compaction_trigger' }], stream: false, background: false }
  const asked = await readRequest(context, exchange, sent)
  const started = await start(context, exchange, asked)
  const inner = await toResponsesDialect(context, { model: asked.setup.model })
  const dialect: Dialect = {
    ...inner,
    heartbeat: inner.heartbeat,
    fold(frames) {
      const { id, created_at, output, usage, warnings } = foldResponse(frames)
      const changes = warnings === undefined ? {} : { warnings }
      return { id, object: 'response.compaction', created_at, output, usage, ...changes }
    },
  }
  const { strict } = asked.caller
  return await sendResponse(context, started, { exchange, dialect, stream: false, strict })
}

/** The response right after its start; the run continues without a reader. */
async function readStart(
  context: GatewayContext,
  started: StartedAnswer,
  dialect: Dialect,
): Promise<ResponseObject> {
  const sink = collectSink({ ...PATIENT, isClosed: () => sink.frames.length > 0 })
  const options = { wire: dialect.wire([]), strict: false, onStart: () => {} }
  await followResponse(context, started, sink, options)
  const response = foldResponse(sink.frames)
  return response.status === 'in_progress' ? { ...response, status: 'queued' } : response
}
