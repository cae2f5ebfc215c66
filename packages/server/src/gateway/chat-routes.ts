/** POST /v1/chat/completions. */

import {
  answerEcho,
  ChatRequest,
  completionVisible,
  completionWire,
  decodeCompletionRequest,
  foldCompletion,
  HEARTBEAT,
  toChatError,
  withOptions,
} from '@toolwire/wire'
import { defineRoute } from '../http/route.ts'
import { either } from '../openapi/operation.ts'
import { Completion } from '../openapi/shapes/answer-shapes.ts'
import { ChatChunk } from '../openapi/shapes/stream-shapes.ts'
import { defaultModel } from '../sessions/default-model.ts'
import { readCaller } from './caller.ts'
import { ERRORS_OF_RUNS, RUN_HEADERS } from './describe-runs.ts'
import type { Dialect } from './gateway-context.ts'
import { readRepeatKey } from './repeated-request.ts'
import { searchServices } from './search-service.ts'
import { sendResponse } from './send-response.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'
import { startOnce } from './start-once.ts'

const PROTOCOL = 'openai-chat'

export const completionRoute = defineRoute({
  method: 'POST',
  path: '/v1/chat/completions',
  scope: 'gateway',
  id: 'createChatCompletion',
  tag: 'Gateway',
  summary: 'Chat Completions, as clients of OpenAI send them',
  description: '`stream` chooses the stream, which ends with `[DONE]`.',
  errorShape: 'chat',
  headers: RUN_HEADERS,
  body: ChatRequest.meta({ id: 'ChatCompletionsRequest' }),
  errors: ERRORS_OF_RUNS,
  responses: { 200: either(Completion, ChatChunk, 'The answer, whole or as a stream.') },
  handle: async (exchange, { gateway: context }) => {
    const caller = readCaller(exchange)
    const { strict, downgrade } = caller
    const decoded = decodeCompletionRequest(exchange.body, {
      strict,
      downgrade,
      model: defaultModel(context),
      search: searchServices(context),
    })
    const { stream, legacy, json, include_usage } = decoded
    if (stream) context.streams.check()
    const setup = toSetup(decoded, caller, context, PROTOCOL)
    const started = await startOnce(context, readRepeatKey(exchange, caller), keep =>
      startAnswer(context, { request: decoded, caller, setup, keep }),
    )
    const dialect = toDialect({ model: setup.model, legacy, json, include_usage: include_usage || !stream })
    return await sendResponse(context, started, { exchange, dialect, stream, strict })
  },
})

function toDialect(options: {
  readonly model: string
  readonly legacy: boolean
  readonly json: boolean
  readonly include_usage: boolean
}): Dialect {
  return {
    wire: warnings => withOptions(completionWire, { ...options, warnings }),
    heartbeat: HEARTBEAT,
    fold: foldCompletion,
    visible: blocks => completionVisible(blocks, options.legacy),
    echo: blocks => answerEcho(blocks, { legacy: options.legacy, hidesRefusal: true }),
    toError: problem => toChatError(problem),
  }
}
