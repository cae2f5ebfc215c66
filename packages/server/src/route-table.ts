/** Methods of each path, for 405 responses and their Allow header. Filled while routes are added. */
import type { FastifyInstance } from 'fastify'

export interface Route {
  readonly method: string
  readonly url: string
}

export interface RouteTable {
  /** Methods of the routes that match the path of `url`, sorted; empty for an unknown path. */
  methodsFor(url: string): readonly string[]
  /** Every route, in the order in which they were added; HEAD routes that come with a GET are left out. */
  all(): readonly Route[]
}

/** Must be called before the routes are added. */
export function createRouteTable(app: FastifyInstance): RouteTable {
  const routes: { readonly url: string; readonly pattern: RegExp; readonly methods: readonly string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ url, pattern: toPattern(url), methods: Array.isArray(method) ? method : [method] })
  })
  return {
    all: () =>
      routes
        .flatMap(({ url, methods }) => methods.map(method => ({ method, url })))
        .filter(route => route.method !== 'HEAD'),
    methodsFor(url) {
      const path = url.split('?', 1)[0] ?? ''
      const found = routes.filter(route => route.pattern.test(path)).flatMap(route => route.methods)
      return [...new Set(found)].sort()
    },
  }
}

function toPattern(url: string): RegExp {
  const parts = url
    .split('/')
    .map(part => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${parts.join('/')}$`)
}
