/** POST /v1/chat/completions. */
import {
  completionVisible,
  completionWire,
  decodeCompletionRequest,
  foldCompletion,
  toChatError,
} from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import type { GatewayContext } from './answer-plan.ts'
import { readCaller } from './caller.ts'
import type { Dialect } from './dialect.ts'
import { sendAnswer } from './send-answer.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'
import { startOnce } from './start-once.ts'

const PROTOCOL = 'openai-chat'

export function addChatCompletionRoutes(app: FastifyInstance, context: GatewayContext): void {
  const { config } = context
  app.post('/chat/completions', async (request, reply) => {
    const caller = readCaller(request)
    const decoded = decodeCompletionRequest(request.body, { strict: caller.strict, model: config.model })
    const { stream, legacy, include_usage } = decoded
    if (stream) context.streams.check()
    const setup = toSetup(decoded, caller, config, PROTOCOL)
    const started = await startOnce(context, request, caller, () =>
      startAnswer(context, decoded, caller, setup),
    )
    const dialect = toDialect({ model: setup.model, legacy, include_usage: include_usage || !stream })
    return await sendAnswer(context, started, { request, reply, dialect, stream, strict: caller.strict })
  })
}

function toDialect(options: {
  readonly model: string
  readonly legacy: boolean
  readonly include_usage: boolean
}): Dialect {
  return {
    wire: warnings => ({
      id: PROTOCOL,
      open: opened => completionWire.open({ ...opened, options: { ...options, warnings } }),
    }),
    fold: foldCompletion,
    visible: blocks => completionVisible(blocks, options.legacy),
    toError: problem => toChatError(problem),
  }
}
