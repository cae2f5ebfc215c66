/** One request to one of the APIs: decode, run the model, encode, with or without a fault. */
import type { ServerResponse } from 'node:http'
import type { Model, ModelPart } from '@toolwire/core'
import { isObject, type JsonObject, parseJson, sleep } from '@toolwire/core'
import { type Api, CHAT, RESPONSES } from './apis.ts'
import { countTokens } from './count-tokens.ts'
import { BadBodyError } from './decode-body.ts'
import { freeformIn, UndecryptableError } from './decode-responses.ts'
import { corruptFrames, type Fault, STATUS_FAULTS } from './faults.ts'
import type { EncodeContext, Frame } from './frame.ts'
import { hasReasoning, NEEDS_RESPONSES, UNDECRYPTABLE } from './responses-faults.ts'
import { type StreamTarget, writeLive, writeSpoiled } from './write-stream.ts'

export interface Exchange {
  readonly api: Api
  readonly model: Model
  readonly body: string
  readonly fault: Fault | undefined
  readonly requestId: string
  readonly response: ServerResponse
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

const DEFAULT_WINDOW = 8000

const MESSAGES: Readonly<Record<string, string>> = {
  '400': 'messages: the request is not valid',
  '401': 'invalid x-api-key',
  '403': 'Your account does not have permission to use this model.',
  '404': 'model: no such model',
  '413': 'Request exceeds the maximum size',
  '429': 'This request would exceed your rate limit.',
  '500': 'Internal server error',
  '503': 'Service unavailable',
  '529': 'Overloaded',
}

/** Resolves when the answer is over or its connection broken; never rejects for what a client sent. */
export async function answer(exchange: Exchange): Promise<void> {
  const { fault, response, signal } = exchange
  if (fault?.name === 'reset') {
    response.destroy()
    return
  }
  if (fault && (STATUS_FAULTS as readonly string[]).includes(fault.name)) return refuseBy(exchange, fault)
  if (fault?.name === 'context-window') {
    const [tokens, most] = [countTokens(exchange.body), fault.tokens ?? DEFAULT_WINDOW]
    if (tokens > most) return sendJson(response, 400, exchange.api.tooLong(tokens, most, exchange.requestId))
  }
  if (fault?.name === 'slow-first-byte') await sleep(fault.ms ?? 1000, signal)
  const body = parseJson(exchange.body)
  if (!isObject(body)) return refuse(exchange, 400, 'The request body is not valid JSON.')
  const rejection = rejectionOf(exchange, body)
  if (rejection) return sendJson(response, rejection.status, rejection.body)
  await answerBody(exchange, body)
}

async function answerBody(exchange: Exchange, body: JsonObject): Promise<void> {
  if (isObject(body['thread']))
    return refuse(exchange, 400, 'thread: not supported by this server', {
      error_code: 'thread_unsupported_request',
    })
  try {
    const request = exchange.api.decode(body)
    await run(exchange, body, exchange.model.stream(request, exchange.signal)[Symbol.asyncIterator]())
  } catch (error) {
    if (!(error instanceof BadBodyError)) throw error
    if (error instanceof UndecryptableError) sendJson(exchange.response, 400, UNDECRYPTABLE)
    else refuse(exchange, 400, error.message)
  }
}

/** The rejection that a fault makes of a valid body. */
function rejectionOf(
  { api, fault }: Exchange,
  body: JsonObject,
): { readonly status: number; readonly body: JsonObject } | undefined {
  if (fault?.name === 'needs-responses' && api === CHAT) return { status: 404, body: NEEDS_RESPONSES }
  const isForeign = fault?.name === 'invalid-encrypted' && api === RESPONSES && hasReasoning(body)
  return isForeign ? { status: 400, body: UNDECRYPTABLE } : undefined
}

function refuseBy(exchange: Exchange, fault: Fault): void {
  if (fault.retryAfter !== undefined) exchange.response.setHeader('retry-after', String(fault.retryAfter))
  const blame = fault.tool === undefined ? undefined : badSchema(exchange, fault.tool)
  refuse(exchange, Number(fault.name), blame ?? MESSAGES[fault.name] ?? 'Error')
}

/** Undefined when the request brings no tool at that place. */
function badSchema({ api, body }: Exchange, place: number): string | undefined {
  const sent = parseJson(body)
  const tool: unknown = isObject(sent) && Array.isArray(sent['tools']) ? sent['tools'][place] : undefined
  if (!isObject(tool)) return undefined
  const named = isObject(tool['function']) ? tool['function'] : tool
  return api.badSchema(place, String(named['name']))
}

/** Answers with an error body in the API's shape. */
export function refuse(
  exchange: Pick<Exchange, 'api' | 'response' | 'requestId'>,
  status: number,
  message: string,
  details?: JsonObject,
): void {
  const { api, response, requestId } = exchange
  sendJson(response, status, api.error(status, message, requestId, details))
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function run(exchange: Exchange, body: JsonObject, parts: AsyncIterator<ModelPart>): Promise<void> {
  // The first part decides: a model that fails before any content fails with a status, not inside a stream.
  const opening = await readOpening(parts)
  const last = opening.at(-1)
  if (!last) return refuse(exchange, 500, 'The model said nothing.')
  if (last.type === 'error') return refuse(exchange, last.error.http_status ?? 500, last.error.message)
  const context: EncodeContext = {
    model: String(body['model']),
    created: Math.floor(Date.now() / 1000),
    includeUsage: isObject(body['stream_options']) && body['stream_options']['include_usage'] === true,
    freeform: freeformIn(body),
  }
  const all = resume(opening, parts)
  if (body['stream'] === true) return stream(exchange, context, all)
  const whole = await Array.fromAsync(all)
  const failed = whole.find(part => part.type === 'error')
  if (failed) return refuse(exchange, failed.error.http_status ?? 500, failed.error.message)
  sendJson(exchange.response, 200, exchange.api.fold(whole, context))
}

/** The start, if there is one, what came before it, and what follows it. */
async function readOpening(parts: AsyncIterator<ModelPart>): Promise<readonly ModelPart[]> {
  const read: ModelPart[] = []
  for (;;) {
    const next = await parts.next()
    if (next.done) return read
    read.push(next.value)
    if (next.value.type !== 'start' && next.value.type !== 'retry') return read
  }
}

async function* resume(
  opening: readonly ModelPart[],
  rest: AsyncIterator<ModelPart>,
): AsyncGenerator<ModelPart, void, void> {
  yield* opening
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function stream(
  exchange: Exchange,
  context: EncodeContext,
  parts: AsyncIterable<ModelPart>,
): Promise<void> {
  const { api, fault, response, signal } = exchange
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.flushHeaders()
  const target: StreamTarget = { response, ping: api.ping, signal }
  const frames = encodeAll(parts, api.encode(context))
  if (!fault || fault.name === 'context-window') return writeLive(frames, target)
  return writeSpoiled(corruptFrames(await Array.fromAsync(frames), fault), fault, target)
}

async function* encodeAll(
  parts: AsyncIterable<ModelPart>,
  encode: (part: ModelPart) => readonly Frame[],
): AsyncGenerator<Frame, void, void> {
  for await (const part of parts) yield* encode(part)
}
