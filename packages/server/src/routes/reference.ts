/** The API description, for programs (/openapi.json) and for people (/reference). Both need no key: they hold no data. */
import { z } from 'zod'
import { JSON_TYPE, rawReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { OPENAPI_VERSIONS } from '../openapi/openapi-version.ts'
import { json, raw } from '../openapi/operation.ts'

export const referenceRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    scope: 'open',
    id: 'getOpenApi',
    tag: 'Server',
    summary: 'This description',
    description: 'For generators that read another version of OpenAPI: `version=3.0` or `version=3.2`.',
    errors: ['bad_request'],
    query: z.object({ version: z.enum(OPENAPI_VERSIONS).optional() }),
    responses: {
      200: json(z.looseObject({ openapi: z.string() }), 'OpenAPI 3.1, or the version that was asked for.'),
    },
    handle: async (exchange, { reference }) => {
      const { version } = exchange.parseQuery()
      exchange.setHeader('cache-control', 'no-cache')
      return rawReply(200, JSON.stringify(await reference.document(version)), JSON_TYPE)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/reference',
    scope: 'open',
    id: 'getReference',
    tag: 'Server',
    summary: 'This description as a page',
    responses: { 200: raw('text/html', 'One page without scripts.') },
    handle: async (exchange, { reference }) => {
      const { page, policy } = await reference.page()
      exchange.setHeaders({
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
      })
      return rawReply(200, page, 'text/html; charset=utf-8')
    },
  }),
]
