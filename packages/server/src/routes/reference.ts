/** The description of the API, for programs (/openapi.json) and for people (/reference). Both need no key: they hold no data. */
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Route } from '../route-table.ts'

export interface ReferenceOptions {
  /** Every route of the server. Read on the first request, so routes may be added until then. */
  readonly routes: () => readonly Route[]
  readonly version: string
}

const OPEN = { config: { open: true } } as const

export function addReferenceRoutes(app: FastifyInstance, { routes, version }: ReferenceOptions): void {
  let document: OpenApiDocument | undefined
  let page: string | undefined
  // Loaded on demand: it holds the schema of every request and response.
  const describe = async (): Promise<OpenApiDocument> => {
    const { createDocument } = await import('../openapi/document.ts')
    document ??= createDocument({ routes: routes(), version })
    return document
  }

  app.get('/openapi.json', OPEN, async (_request, reply) => {
    reply.header('cache-control', 'no-cache')
    return await reply.type('application/json; charset=utf-8').send(JSON.stringify(await describe()))
  })

  app.get('/reference', OPEN, async (_request, reply) => {
    const { REFERENCE_POLICY, renderReference } = await import('../openapi/reference-page.ts')
    page ??= renderReference(await describe())
    reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': REFERENCE_POLICY,
      'referrer-policy': 'no-referrer',
    })
    return await reply.type('text/html; charset=utf-8').send(page)
  })
}
