/** POST /v1/messages and /v1/messages/count_tokens. */
import {
  decodeMessagesRequest,
  estimateTokens,
  foldMessage,
  messagesWire,
  messageVisible,
  toMessagesError,
} from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import type { GatewayContext } from './answer-plan.ts'
import { readCaller } from './caller.ts'
import { continueThread } from './continue-thread.ts'
import type { Dialect } from './dialect.ts'
import { sendAnswer } from './send-answer.ts'
import { toSetup } from './setup.ts'
import { startAnswer } from './start-answer.ts'

const PROTOCOL = 'anthropic-messages'

export function addMessagesRoutes(app: FastifyInstance, context: GatewayContext): void {
  const { config } = context
  app.post('/messages', async (request, reply) => {
    const caller = readCaller(request)
    const decoded = decodeMessagesRequest(request.body, { strict: caller.strict, model: config.model })
    const { stream } = decoded
    if (stream) context.streams.check()
    const setup = toSetup(decoded, caller, config, PROTOCOL)
    const started =
      decoded.continues === undefined
        ? await startAnswer(context, decoded, caller, setup)
        : await continueThread(context, decoded, setup)
    const dialect = toDialect(setup.model)
    return await sendAnswer(context, started, { request, reply, dialect, stream })
  })

  app.post('/messages/count_tokens', async request => ({ input_tokens: estimateTokens(request.body) }))
}

const toDialect = (model: string): Dialect => ({
  wire: warnings => ({
    id: PROTOCOL,
    open: opened => messagesWire.open({ ...opened, options: { model, warnings } }),
  }),
  fold: foldMessage,
  visible: messageVisible,
  toError: (problem, request_id) => toMessagesError(problem, request_id),
})
