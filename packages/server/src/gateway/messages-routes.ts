/** POST /v1/messages and /v1/messages/count_tokens. */

import {
  answerEcho,
  decodeMessagesRequest,
  estimateTokens,
  foldMessage,
  HEARTBEAT,
  MessagesRequest,
  messagesWire,
  messageVisible,
  parseMessages,
  toMessagesError,
  withOptions,
} from '@toolwire/wire'
import { toSignal } from '../http/exchange.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { either, json } from '../openapi/operation.ts'
import { Message, TokenCount as TokenCountShape } from '../openapi/shapes/answer-shapes.ts'
import { MessageEvent } from '../openapi/shapes/stream-shapes.ts'
import { defaultModel } from '../sessions/default-model.ts'
import { readCaller } from './caller.ts'
import { continueThread } from './continue-thread.ts'
import { countTokens } from './count-tokens.ts'
import { ERRORS_OF_RUNS, RUN_HEADERS } from './describe-runs.ts'
import type { Dialect } from './gateway-context.ts'
import { readRepeatKey } from './repeated-request.ts'
import { searchServices } from './search-service.ts'
import { sendResponse } from './send-response.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'
import { startOnce } from './start-once.ts'

const PROTOCOL = 'anthropic-messages'
/** Some clients of this wire watch events alone. */
const PING = 'event: ping\ndata: {"type":"ping"}\n\n'

export const messagesRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/messages',
    scope: 'gateway',
    id: 'createMessage',
    tag: 'Gateway',
    summary: 'Messages, as clients of Anthropic send them',
    errorShape: 'messages',
    headers: RUN_HEADERS,
    body: MessagesRequest.meta({ id: 'MessagesRequest' }),
    errors: ERRORS_OF_RUNS,
    responses: { 200: either(Message, MessageEvent, 'The answer, whole or as a stream.') },
    parseJson: parseMessages,
    handle: async (exchange, { gateway: context }) => {
      const caller = readCaller(exchange)
      const { strict, downgrade } = caller
      const decoded = decodeMessagesRequest(exchange.body, {
        strict,
        downgrade,
        model: defaultModel(context),
        search: searchServices(context),
      })
      const { stream } = decoded
      if (stream) context.streams.check()
      const setup = toSetup(decoded, caller, context, PROTOCOL)
      const started = await startOnce(context, readRepeatKey(exchange, caller), keep =>
        decoded.continues === undefined
          ? startAnswer(context, { request: decoded, caller, setup, keep })
          : continueThread(context, { request: decoded, caller, setup, keep }),
      )
      const dialect = toDialect(setup.model)
      return await sendResponse(context, started, { exchange, dialect, stream, strict })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/messages/count_tokens',
    scope: 'gateway',
    id: 'countTokens',
    tag: 'Gateway',
    summary: 'How many tokens a request has',
    description: 'The header `x-token-count` is `provider` or `estimate`.',
    errorShape: 'messages',
    body: MessagesRequest.meta({ id: 'MessagesRequest' }),
    errors: ['bad_request', 'unknown_model', 'missing_key'],
    responses: { 200: json(TokenCountShape, 'The count.') },
    parseJson: parseMessages,
    handle: async (exchange, { gateway: context }) => {
      const { body, client } = exchange
      const estimate = estimateTokens(body)
      const decoded = decodeMessagesRequest(body, {
        model: defaultModel(context),
        search: searchServices(context),
      })
      const isWhole = decoded.continues === undefined
      const counted = await countTokens(context, decoded, { estimate, isWhole, signal: toSignal(client) })
      exchange.setHeader('x-token-count', counted.is_estimate ? 'estimate' : 'provider')
      return { input_tokens: counted.input_tokens }
    },
  }),
]

const toDialect = (model: string): Dialect => ({
  wire: warnings => withOptions(messagesWire, { model, warnings }),
  heartbeat: HEARTBEAT + PING,
  fold: foldMessage,
  visible: messageVisible,
  echo: blocks => answerEcho(blocks, {}),
  toError: (problem, request_id) => toMessagesError(problem, request_id),
})
