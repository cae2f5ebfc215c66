/** POST /v1/chat/completions. */

import {
  answerEcho,
  completionVisible,
  completionWire,
  decodeCompletionRequest,
  foldCompletion,
  HEARTBEAT,
  toChatError,
  withOptions,
} from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { defaultModel } from '../config.ts'
import { readCaller } from './caller.ts'
import type { Dialect, GatewayContext } from './gateway-context.ts'
import { sendResponse } from './send-response.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'
import { startOnce } from './start-once.ts'

const PROTOCOL = 'openai-chat'

export function addChatCompletionRoutes(app: FastifyInstance, context: GatewayContext): void {
  const { config } = context
  app.post('/chat/completions', async (request, reply) => {
    const caller = readCaller(request)
    const { strict, downgrade } = caller
    const decoded = decodeCompletionRequest(request.body, { strict, downgrade, model: defaultModel(config) })
    const { stream, legacy, json, include_usage } = decoded
    if (stream) context.streams.check()
    const setup = toSetup(decoded, caller, config, PROTOCOL)
    const started = await startOnce(context, request, caller, keep =>
      startAnswer(context, { request: decoded, caller, setup, keep }),
    )
    const dialect = toDialect({ model: setup.model, legacy, json, include_usage: include_usage || !stream })
    return await sendResponse(context, started, { request, reply, dialect, stream, strict })
  })
}

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
