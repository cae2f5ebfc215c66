/** The server: puts services, routes and hosts together, and takes them down again. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  AppError,
  type CallHost,
  type FileStore,
  type Ids,
  type Records,
  type StateSource,
  type Store,
} from '@toolwire/core'
import { type AnswerRules, createSessions, type Sessions, type Waker } from '@toolwire/session'
import { limitModels } from './access/allowed-ports.ts'
import { type Authenticate, createSignIn } from './access/authenticate.ts'
import { createAccessCheck } from './access/check-access.ts'
import { createCredentials } from './access/credentials.ts'
import { createJwtSignIn, type JwtSignInOptions } from './access/jwt/jwt-sign-in.ts'
import { createLimiter } from './access/limiter.ts'
import { createOpenRequests, type OpenRequests } from './access/open-requests.ts'
import { createOwnedStore } from './access/owned-store.ts'
import { settleLeftAudits } from './access/planned-audit.ts'
import { currentPrincipal, LOCAL_OPERATOR, noteReached, type Principal } from './access/principal.ts'
import { createRunLimit, type RunLimit } from './access/run-limit.ts'
import { countNewRuns } from './access/spending.ts'
import type { Clock, Logger, ServerContext } from './context.ts'
import { toErrorBody } from './errors.ts'
import { createAttachments } from './files/attachments.ts'
import { createGatewayContext } from './gateway/gateway-context.ts'
import { type HostUrl, pathBelow, strip } from './http/base-path.ts'
import { type Dispatcher, dispatch } from './http/dispatch.ts'
import { toFetchHost } from './http/fetch-host.ts'
import { type Listener, listen } from './http/listen.ts'
import { toNodeHost } from './http/node-host.ts'
import { JSON_TYPE } from './http/reply.ts'
import type { Route } from './http/route.ts'
import type { RouteContext } from './http/route-context.ts'
import { createRouter, type Router } from './http/router.ts'
import { actAs, createCallHost } from './mcp/call-host.ts'
import type { Instruments } from './observe/instruments.ts'
import { logRequests } from './observe/request-log.ts'
import { createServerMetrics } from './observe/server-metrics.ts'
import { createReference } from './openapi/reference.ts'
import { resolvePorts, type ServerPorts } from './ports.ts'
import { ROUTES } from './routes.ts'
import { createDecisionAudit } from './sessions/audit-decisions.ts'
import { requireSafeAddress, resolveSettings, type ServerSettings } from './settings.ts'
import { createLineage } from './stream/lineage.ts'
import { createStreamPool } from './stream/stream-pool.ts'
import { openWebFiles } from './web/web-files.ts'

export interface ServerOptions {
  /** Stays the caller's: `close` does not close it. */
  readonly store: Store
  /** API keys, spending and the audit trail; without it only the keys of the settings exist. Stays the caller's. */
  readonly records?: Records
  /** Files that users send; without it their routes do not exist. Stays the caller's. */
  readonly files?: FileStore | undefined
  /** State between requests; without it sessions are folded from their logs. */
  readonly states?: StateSource
  readonly runtime: Waker
  /** The rules of the tools for answers: the part that is stored, and the ones that are refused. */
  readonly rules: AnswerRules
  readonly settings: Partial<ServerSettings>
  readonly ports?: Partial<ServerPorts>
  readonly ids: Ids
  readonly clock: Clock
  readonly logger?: Logger
  /** Finds out who calls, where a request has no key of this server. */
  readonly authenticate?: Authenticate | undefined
  /** Issuers whose JSON web tokens are taken, and the way to read their keys. */
  readonly auth?: Pick<JwtSignInOptions, 'settings' | 'readDocument'> | undefined
  /** Metrics that GET /metrics shows. Without it the route does not exist. */
  readonly instruments?: Instruments
  /** The folder with the built web app. Without it the server has no pages. */
  readonly webRoot?: string
}

export interface Server {
  /** Binds and returns the base URL. Throws when the address is taken, or others could reach it without a sign-in. */
  listen(address?: Partial<Address>): Promise<string>
  /**
   * Reports permanently that this server is not ready, closes streams and accepts no new ones. Other requests are
   * served until `close`. Idempotent.
   */
  retire(): void
  /** Closes streams, rejects new requests, waits briefly for those in flight. Idempotent. */
  close(): Promise<void>
  /** The base URL; undefined before `listen`. */
  address(): string | undefined
  /** Serves a request of a Node server. Outside of the base path it calls `next`, or responds with 404. */
  readonly node: (request: IncomingMessage & HostUrl, response: ServerResponse, next?: () => void) => void
  /** Serves a request of a host that speaks fetch; `principal` for one that this process makes itself. */
  readonly handler: (request: Request, principal?: Principal) => Promise<Response>
  /** The description of the API, as GET /openapi.json sends it. */
  readonly openapi: () => Promise<object>
  readonly context: ServerContext
  /** Calls of the operator, without a request. */
  readonly operatorHost: CallHost
  /** Every route of this server. */
  readonly routes: readonly Route[]
}

export type Address = Pick<ServerSettings, 'host' | 'port'>

const SILENT: Logger = { info() {}, error() {} }

const createBounds = (): Pick<RouteContext, 'providerTests' | 'suggestions'> => ({
  providerTests: createLimiter(),
  suggestions: createLimiter(),
})

/** Throws for a configuration that is unsafe or cannot work. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { records, clock, instruments, webRoot, store, authenticate, auth, logger = SILENT } = options
  const { apiKeys = [] } = options.settings
  const hasSignIn = authenticate !== undefined || auth !== undefined
  const credentials = createCredentials({ apiKeys, hasSignIn, records, now: clock.now })
  const settings = resolveSettings(options.settings, await credentials.required())
  const openRequests = createOpenRequests(credentials)
  const services = await createContext(options, { settings, credentials, openRequests })
  if (records) await settleLeftAudits(records, services.sessions.reader, clock.now())
  const routes: Route[] = []
  const gateway = createGatewayContext(services)
  const callHost = createCallHost(gateway)
  const mcpServer = services.ports.mcpServer?.open(callHost)
  const context: RouteContext = {
    ...services,
    gateway,
    mcpServer,
    ...createBounds(),
    reference: createReference(routes, settings),
    instruments,
    web: webRoot === undefined ? undefined : openWebFiles(webRoot),
  }
  routes.push(...ROUTES.filter(({ isServed }) => isServed?.(context) ?? true))
  const metrics = instruments && createServerMetrics(instruments, { ...services, store })
  const dispatcher: Dispatcher = {
    router: createRouter(routes),
    context,
    access: createAccessCheck({
      credentials,
      openRequests,
      records,
      settings,
      now: clock.now,
      signIn: authenticate && createSignIn(authenticate, logger),
      jwt: auth && createJwtSignIn({ ...auth, logger, now: clock.now }),
    }),
    observers: [logRequests(services.logger), ...(metrics ? [metrics.observe] : [])],
  }
  const { basePath } = settings
  const node: Server['node'] = (request, response, next) => {
    const url = pathBelow(request, basePath)
    if (url !== undefined) void dispatch(dispatcher, toNodeHost(request, response, url))
    else if (next) next()
    else respondNotFound(response)
  }
  const handler: Server['handler'] = async (request, principal) => {
    if (!principal && settings.strangers === 'loopback' && !(await credentials.required()))
      throw new TypeError(
        'A fetch handler does not know where a request comes from: set authenticate, auth, apiKeys or access.',
      )
    const { pathname, search } = new URL(request.url)
    const url = pathname + search
    const below = principal ? url : belowBase(dispatcher.router, url, basePath)
    const { exchange, response } = toFetchHost(request, below, principal)
    void dispatch(dispatcher, exchange)
    return await response
  }
  let listener: Listener | undefined
  let closed: Promise<void> | undefined
  async function close(): Promise<void> {
    openRequests.close()
    await mcpServer?.close()
    services.streams.close()
    services.sessions.close()
    services.lineage.close()
    await listener?.close()
    metrics?.close()
  }
  return {
    node,
    handler,
    openapi: context.reference.document,
    context,
    operatorHost: actAs(LOCAL_OPERATOR, callHost),
    routes,
    address: () => listener?.url,
    async listen(address = {}) {
      const bound = { ...settings, ...address }
      requireSafeAddress(bound, await credentials.required())
      // The names under which callers reach this server depend on it.
      Object.assign(settings, address)
      listener = await listen(node, bound)
      return listener.url + basePath
    },
    retire: () => services.streams.close(),
    close() {
      closed ??= close()
      return closed
    },
  }
}

/**
 * Some hosts strip the base path and keep no trace of it. Below a base path such as `/api` only the routes say which
 * reading is meant: none has both.
 */
function belowBase(router: Router, url: string, basePath: string): string {
  const below = strip(url, basePath)
  if (below === undefined || below === url) return url
  const isRoute = (path: string): boolean => router.methodsFor(path).length > 0
  return isRoute(below) || !isRoute(url) ? below : url
}

/** Outside of the base path there is nothing, and nothing is read of the request. */
function respondNotFound(response: ServerResponse): void {
  const body = JSON.stringify(toErrorBody(new AppError('not_found'), randomUUID()))
  response.writeHead(404, { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }).end(body)
}

interface ContextParts extends Pick<ServerContext, 'settings' | 'credentials'> {
  readonly openRequests: OpenRequests
}

async function createContext(options: ServerOptions, parts: ContextParts): Promise<ServerContext> {
  const { store, runtime, ids, clock, records } = options
  const { settings } = parts
  const streams = createStreamPool(settings, currentPrincipal)
  const limit: RunLimit = {
    ...createRunLimit(store, session => sessions.facts(session)),
    count: (principal, runs) => countNewRuns(records, principal, { runs, now: clock.now() }),
  }
  // Routes see the sessions of their principal; followers of a session that a route found read the log itself.
  const owned = createOwnedStore(store, currentPrincipal, limit, noteReached)
  const sessions: Sessions = await createSessions({
    store: owned,
    log: store,
    runtime,
    attachments:
      options.files &&
      createAttachments({ files: options.files, owner: () => currentPrincipal().owner, clock }),
    audit: createDecisionAudit({ records, clock, principal: currentPrincipal }),
    rules: options.rules,
    states: options.states,
    ids,
    now: clock.now,
    pollMs: settings.pollMs,
  })
  function startAgain(): void {
    sessions.forget()
    // Readers reconnect with cursors of the earlier history and get a reset.
    streams.cut()
  }
  return {
    ...parts,
    ports: limitModels(resolvePorts(options.ports)),
    store: owned,
    sessions,
    records,
    files: options.files,
    principal: currentPrincipal,
    runtime,
    ids,
    clock,
    logger: options.logger ?? SILENT,
    streams,
    lineage: await createLineage(store, startAgain),
  }
}
