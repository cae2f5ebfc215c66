/** The models that can answer, with what is known of them: GET /api/models. */

import { z } from 'zod'
import { defineRoute } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { ModelList } from '../openapi/shapes/server-shapes.ts'
import { defaultModel } from '../sessions/default-model.ts'

const ModelsQuery = z.object({
  /** A model to describe that may not be listed: every id passes through to its provider. */
  also: z.string().min(1).max(256).optional(),
})

/** The default model first. An unknown fact is absent, never guessed. */
export const modelListRoute = defineRoute({
  method: 'GET',
  path: '/api/models',
  scope: 'read',
  id: 'listModels',
  tag: 'Server',
  summary: 'The models that can answer, the default one first',
  query: ModelsQuery,
  errors: ['bad_request'],
  responses: { 200: json(ModelList, 'Unknown properties of a model are absent.') },
  handle: async (exchange, context) => {
    const { ports } = context
    const { also } = exchange.parseQuery()
    const ids = new Set([defaultModel(context), ...ports.listModels(), ...(also === undefined ? [] : [also])])
      .values()
      .filter(ports.isAllowedModel)
    return {
      default: defaultModel(context),
      models: [...ids].map(id => ({ id, ...ports.describeModel(id) })),
    }
  },
})
