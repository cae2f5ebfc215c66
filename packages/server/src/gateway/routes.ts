/** The vendor wires over HTTP: existing clients of OpenAI and Anthropic arrive here unchanged. */
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'
import { addChatCompletionRoutes } from './chat-routes.ts'
import { createGatewayContext } from './gateway-context.ts'
import { installGatewayErrors } from './gateway-errors.ts'
import { addMessagesRoutes } from './messages-routes.ts'
import { addModelRoutes } from './model-routes.ts'
import { addResponsesRoutes } from './responses-routes.ts'

/** Adds the routes under /v1, and the probe that some clients send to the root. */
export function addGatewayRoutes(app: FastifyInstance, server: ServerContext): void {
  const context = createGatewayContext(server)
  app.head('/', { config: { open: true } }, async (_request, reply) => await reply.code(200).send())
  const routes = async (scope: FastifyInstance): Promise<void> => {
    installGatewayErrors(scope, context)
    addChatCompletionRoutes(scope, context)
    addMessagesRoutes(scope, context)
    addModelRoutes(scope, context)
    addResponsesRoutes(scope, context)
  }
  app.register(routes, { prefix: '/v1' })
}
