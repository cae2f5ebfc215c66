/** Maps routes to scopes. An unlisted route needs read for GET and write for anything else. */
import type { Scope } from './principal.ts'

/** Longest match first; `method` absent means any. */
const RULES: readonly {
  readonly path: RegExp
  readonly method?: RegExp
  readonly scope: Scope
}[] = [
  { path: /^\/v1(\/|$)/, scope: 'gateway' },
  { path: /^\/metrics$/, scope: 'metrics' },
  { path: /^\/api\/(audit|keys|storage|doctor|providers)(\/|$)/, scope: 'admin' },
  // Asks a question and changes nothing.
  { path: /^\/api\/permissions\/explain$/, scope: 'read' },
  { path: /^\/api\/(permissions|memory|mcp)(\/|$)/, method: /^(?!GET|HEAD)/, scope: 'admin' },
  { path: /^\/api\/memory(\/|$)/, scope: 'admin' },
  { path: /^\/api\/approvals\//, scope: 'approve' },
  { path: /^\//, method: /^(GET|HEAD|OPTIONS)$/, scope: 'read' },
]

/** By the route that was found, never by the text of the path: a router takes several spellings for one route. */
export function scopeFor(request: {
  readonly method: string
  readonly routeOptions: { readonly url?: string | undefined }
}): Scope {
  const path = request.routeOptions.url ?? '/'
  const rule = RULES.find(
    ({ path: pattern, method }) =>
      pattern.test(path) && (method === undefined || method.test(request.method)),
  )
  return rule?.scope ?? 'write'
}
