/** The way of every request: route, guards, access, body, handler, response. Each host calls this and nothing else. */
import { trace } from '@opentelemetry/api'
import { AppError } from '@toolwire/core'
import type { AccessCheck } from '../access/check-access.ts'
import { actFor } from '../access/principal.ts'
import { setVendorHeaders, toAppError, toErrorReply } from '../errors.ts'
import { rejectWebSocket } from '../gateway/responses-routes.ts'
import type { RequestObserver } from '../observe/request-log.ts'
import type { HostExchange } from './exchange.ts'
import { checkRequest } from './guard-host.ts'
import { parseJsonBody } from './json-body.ts'
import type { RouteContext } from './route-context.ts'
import type { RouteMatch, Router } from './router.ts'
import { ServedExchange } from './served-exchange.ts'

export interface Dispatcher {
  readonly router: Router
  readonly context: RouteContext
  readonly access: AccessCheck
  readonly observers: readonly RequestObserver[]
}

/** Defaults for responses with users' data; routes whose responses may be cached set their own. */
const DEFAULT_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const

/** Resolves when the response is sent or its stream has ended; never rejects. */
export async function dispatch(dispatcher: Dispatcher, host: HostExchange): Promise<void> {
  const found = findRoute(dispatcher.router, host)
  const match = found instanceof AppError ? undefined : found
  const exchange = new ServedExchange(host, match, trace.getActiveSpan()?.spanContext().traceId)
  exchange.setHeaders({ 'x-request-id': exchange.id, ...DEFAULT_HEADERS })
  setVendorHeaders(exchange)
  exchange.client.onClose(() => {
    for (const observe of dispatcher.observers) observe(exchange)
  })
  try {
    if (found instanceof AppError) throw found
    const result = await respond(dispatcher, exchange)
    if (exchange.isStarted) return
    // The handler gave up, which it does only when the client has left.
    if (result === undefined) exchange.client.destroy()
    else await exchange.send(result)
  } catch (error) {
    await sendFailure(dispatcher, exchange, error)
  }
}

function findRoute(router: Router, { method, url }: HostExchange): RouteMatch | AppError | undefined {
  try {
    return router.find(method, url)
  } catch (error) {
    return toAppError(error)
  }
}

async function respond({ context, access, router }: Dispatcher, exchange: ServedExchange): Promise<unknown> {
  const { match, host } = exchange
  const { settings } = context
  // Requests of this process come from no browser.
  const preflight = host.principal ? undefined : checkRequest(exchange, settings)
  if (preflight) return preflight
  await access(exchange)
  if (!match) return rejectWebSocket(exchange) ?? Promise.reject(notFound(router, exchange))
  const { route, handle } = match
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD' && !route.streamsBody) {
    const { bodyLimits, parseJson } = route
    const bytes = Math.min(settings.bodyLimit, bodyLimits?.bytes ?? settings.bodyLimit)
    exchange.body = await parseJsonBody(await host.readBody(bytes), exchange.headers, {
      parse: parseJson,
      depth: bodyLimits?.depth,
      bytes,
    })
  }
  return await actFor(exchange.principal, () => handle(exchange, context), exchange.trail)
}

function notFound(router: Router, exchange: ServedExchange): AppError {
  const allowed = router.methodsFor(exchange.url)
  if (allowed.length === 0) return new AppError('not_found')
  exchange.setHeader('allow', allowed.join(', '))
  return new AppError('method_not_allowed')
}

async function sendFailure({ context }: Dispatcher, exchange: ServedExchange, error: unknown): Promise<void> {
  const failure = toAppError(error)
  if (failure.code === 'internal')
    context.logger.error({ request_id: exchange.id, error: describe(error) }, 'a request failed by a bug')
  if (exchange.isStarted) return exchange.client.destroy()
  await exchange.send(toErrorReply(exchange, failure))
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
