/** GET /v1/models, in the format of the client's vendor. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { defaultModel, type ServerConfig } from '../config.ts'
import type { GatewayContext } from './gateway-context.ts'
import { speaksMessages } from './gateway-errors.ts'

export function addModelRoutes(app: FastifyInstance, { config }: GatewayContext): void {
  app.get('/models', async request => {
    const data = modelIds(config).map(id => toModel(request, id))
    if (!speaksMessages(request)) return { object: 'list', data }
    return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  })

  // Ids hold slashes, so the rest of the path is the id.
  app.get<{ Params: { '*': string } }>('/models/*', async request => {
    const id = request.params['*']
    // Providers have more models than are listed, and each has a name with and without its provider.
    if (!modelIds(config).includes(id)) config.checkModel(id)
    return toModel(request, id)
  })
}

const modelIds = (config: ServerConfig): readonly string[] => [
  ...new Set([defaultModel(config), ...config.listModels()]),
]

function toModel(request: FastifyRequest, id: string) {
  if (speaksMessages(request))
    return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
  return { id, object: 'model', created: 0, owned_by: id.includes('/') ? id.split('/', 1)[0] : 'toolwire' }
}
