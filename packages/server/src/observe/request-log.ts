/** One log line for every request: what was asked, for whom, and where in which session's log it left its mark. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from '../context.ts'

/** Must be installed before the routes. */
export function installRequestLog(app: FastifyInstance, logger: Logger): void {
  app.addHook('onRequest', async (request, reply) => {
    // Defaults for answers that hold people's data; routes with something to cache say so themselves.
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })
  app.addHook('onResponse', async (request, reply) => {
    // The path alone, without the token that some paths hold: query strings and headers may hold secrets.
    const path = request.url.split('?', 1)[0]?.replace(/\/run_[^/]+/, '/run_…')
    const ms = Math.round(reply.elapsedTime)
    const key = request.principal?.key_id ?? undefined
    const { id: request_id, method } = request
    const { trace_id } = request.trail ?? {}
    logger.info(
      { request_id, method, path, status: reply.statusCode, ms, ...placeOf(request), key, trace_id },
      'request',
    )
  })
}

/** The session that was asked for or, where none is plain to see, the one that was found; `seq` is the latest written there. */
function placeOf(request: FastifyRequest): {
  readonly session?: string | undefined
  readonly seq?: number | undefined
} {
  const { session: reached, seq } = request.trail ?? {}
  const session = namedSession(request) ?? reached
  return { session, seq: session === reached ? seq : undefined }
}

/** The session that a path, a query or a body names. */
function namedSession(request: FastifyRequest): string | undefined {
  const { id } = (request.params ?? {}) as { readonly id?: unknown }
  if (request.routeOptions.url?.startsWith('/api/sessions/')) return plain(id)
  const { session_id: asked } = (request.query ?? {}) as { readonly session_id?: unknown }
  const { session_id: told } = (request.body ?? {}) as { readonly session_id?: unknown }
  return plain(told) ?? plain(asked)
}

/** Client-supplied text is printed only if it can be an id. */
const plain = (text: unknown): string | undefined =>
  typeof text === 'string' && /^[\w-]{1,128}$/.test(text) ? text : undefined
