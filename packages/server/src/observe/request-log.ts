/** One log line for every request: what was asked, for whom, and where in which session's log it left its mark. */
import type { Logger } from '../context.ts'
import type { ServedExchange } from '../http/served-exchange.ts'

/** Called once for every request, when its response has ended or its client has left. */
export type RequestObserver = (exchange: ServedExchange) => void

export const logRequests =
  (logger: Logger): RequestObserver =>
  exchange => {
    const { id: request_id, method, url, status, principal, trail } = exchange
    // The path alone, without the token that some paths hold: query strings and headers may hold secrets.
    const path = url.split('?', 1)[0]?.replace(/\/run_[^/]+/, '/run_…')
    const ms = Math.round(performance.now() - exchange.startedAt)
    const key = principal.key_id ?? undefined
    const { trace_id } = trail
    logger.info({ request_id, method, path, status, ms, ...placeOf(exchange), key, trace_id }, 'request')
  }

/** The session that was asked for or, where none is plain to see, the one that was found; `seq` is the latest written there. */
function placeOf(exchange: ServedExchange): {
  readonly session?: string | undefined
  readonly seq?: number | undefined
} {
  const { session: reached, seq } = exchange.trail
  const session = namedSession(exchange) ?? reached
  return { session, seq: session === reached ? seq : undefined }
}

/** The session that a path, a query or a body names. */
function namedSession({ match, params, query, body }: ServedExchange): string | undefined {
  if (match?.route.path.startsWith('/api/sessions/')) return plain(params['id'])
  const { session_id } = (body ?? {}) as { readonly session_id?: unknown }
  return plain(session_id) ?? plain(query['session_id'])
}

/** Client-supplied text is printed only if it can be an id. */
const plain = (text: unknown): string | undefined =>
  typeof text === 'string' && /^[\w-]{1,128}$/.test(text) ? text : undefined
