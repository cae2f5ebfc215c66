/** The models that can answer, with what is known of them: GET /api/models. */

import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { defaultModel } from '../config.ts'
import type { ServerContext } from '../context.ts'

export const ModelsQuery = z.object({
  /** A model to describe that may not be listed: every id passes through to its provider. */
  also: z.string().min(1).max(256).optional(),
})

/** The default model first. An unknown fact is absent, never guessed. */
export function addModelListRoute(app: FastifyInstance, { config }: ServerContext): void {
  app.get('/api/models', async request => {
    const { also } = parseBody(ModelsQuery, request.query)
    const ids = new Set([defaultModel(config), ...config.listModels(), ...(also === undefined ? [] : [also])])
    return {
      default: defaultModel(config),
      models: [...ids].map(id => ({ id, ...config.describeModel(id) })),
    }
  })
}
