/** `toolwire/next`: the handlers of a route file in the app folder of Next. */
import type { Toolwire } from './library/create-toolwire.ts'

type Handler = (request: Request) => Promise<Response>

/**
 * `export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toNextHandlers(toolwire)` in
 * `app/agent/[...path]/route.ts`, with `basePath: '/agent'` and the option `key`.
 */
export function toNextHandlers(
  toolwire: Pick<Toolwire, 'handler'>,
): Readonly<Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', Handler>> {
  const handle: Handler = async request => await toolwire.handler(request)
  return {
    GET: handle,
    HEAD: handle,
    POST: handle,
    PUT: handle,
    PATCH: handle,
    DELETE: handle,
    OPTIONS: handle,
  }
}
