/** GET /v1/models, in the format of the client's vendor. */
import type { ServerContext } from '../context.ts'
import { speaksMessages } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { VendorModel, VendorModelList } from '../openapi/shapes/answer-shapes.ts'
import { defaultModel } from '../sessions/default-model.ts'

export const vendorModelRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/models',
    scope: 'gateway',
    id: 'listVendorModels',
    tag: 'Gateway',
    summary: 'The models, in the format of the calling API',
    description: 'A request with the header `anthropic-version` is answered in the words of Anthropic.',
    errorShape: 'models',
    responses: { 200: json(VendorModelList, 'All of them.') },
    handle: async (exchange, context) => {
      const data = modelIds(context).map(id => toModel(exchange, id))
      if (!speaksMessages(exchange)) return { object: 'list', data, ...forCodex(exchange) }
      return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/models/*',
    scope: 'gateway',
    id: 'getVendorModel',
    tag: 'Gateway',
    summary: 'One model',
    rest: 'The id of the model, which may hold slashes.',
    errorShape: 'models',
    errors: ['unknown_model', 'missing_key'],
    responses: { 200: json(VendorModel, 'The model.') },
    // Ids hold slashes, so the rest of the path is the id.
    handle: async (exchange, context) => {
      const id = exchange.params['*']
      // Providers have more models than are listed, and each has a name with and without its provider.
      if (!modelIds(context).includes(id)) context.ports.checkModel(id)
      return toModel(exchange, id)
    },
  }),
]

/** Codex asks with its version and wants a list in its form; an empty one leaves it with its defaults. */
const forCodex = ({ query }: Pick<Exchange, 'query'>): { readonly models?: readonly [] } =>
  query['client_version'] === undefined ? {} : { models: [] }

const modelIds = (context: ServerContext): readonly string[] => [
  ...new Set([defaultModel(context), ...context.ports.listModels()])
    .values()
    .filter(context.ports.isAllowedModel),
]

function toModel(exchange: Exchange, id: string) {
  if (speaksMessages(exchange))
    return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
  return { id, object: 'model', created: 0, owned_by: id.includes('/') ? id.split('/', 1)[0] : 'toolwire' }
}
