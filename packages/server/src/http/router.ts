/** Finds the route of a request. */
import { AppError } from '@toolwire/core'
import createFindMyWay, { type HTTPMethod } from 'find-my-way'
import type { Exchange } from './exchange.ts'
import type { Route } from './route.ts'

/** A route with the handler for the request's method, which may be HEAD. */
export interface RouteMatch {
  readonly route: Route
  readonly handle: Route['handle']
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

export interface Router {
  /** Undefined when no route takes this method and path. Throws `bad_request` for a path that cannot be decoded. */
  find(method: string, url: string): RouteMatch | undefined
  /** Methods that the path takes, sorted; empty for an unknown path. */
  methodsFor(url: string): readonly string[]
}

const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const satisfies readonly HTTPMethod[]
/** Characters of one parameter. */
const MAX_PARAM = 100

interface Target {
  readonly route: Route
  readonly handle: Route['handle']
}

export function createRouter(routes: readonly Route[]): Router {
  const router = createFindMyWay({
    maxParamLength: MAX_PARAM,
    onBadUrl: () => {},
    onMaxParamLength: () => {},
  })
  const add = (method: HTTPMethod, route: Route, handle: Route['handle']): void => {
    const target: Target = { route, handle }
    router.on(method, route.path, () => {}, target)
  }
  for (const route of routes) {
    const { method, handle, head = handle } = route
    add(method, route, handle)
    if (method === 'GET' && head !== false) add('HEAD', route, head)
  }
  return {
    find(method, url) {
      // The router would drop the first character of any other target.
      if (!url.startsWith('/')) throw new AppError('bad_request', 'The target of the request is not a path.')
      const found = router.find(method as HTTPMethod, url)
      if (!found) return undefined
      // The router's own handlers for paths that it cannot read carry no target.
      if (!found.store) throw new AppError('bad_request', badUrl(url))
      return {
        ...(found.store as Target),
        params: found.params as Exchange['params'],
        query: found.searchParams as Exchange['query'],
      }
    },
    methodsFor: url =>
      METHODS.filter(method => {
        const found = router.find(method, url)
        // `/things/` is not the thing with an empty name.
        return found && !Object.values(found.params).includes('')
      }),
  }
}

/** Characters of a path in an error message. */
const MAX_SHOWN = 200

function badUrl(url: string): string {
  const shown = url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}…` : url
  return `The path ${JSON.stringify(shown)} cannot be read.`
}
