/** The server: puts services, routes and hosts together, and takes them down again. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallHost, Ids, Records, StateSource, Store } from '@toolwire/core'
import { type AnswerRules, createSessions, type Sessions, type Waker } from '@toolwire/session'
import { createAccessCheck } from './access/check-access.ts'
import { createKeyBook } from './access/key-registry.ts'
import { createLimiter } from './access/limiter.ts'
import { createOpenRequests, type OpenRequests } from './access/open-requests.ts'
import { createOwnedStore } from './access/owned-store.ts'
import { settleLeftAudits } from './access/planned-audit.ts'
import { currentPrincipal, LOCAL_OPERATOR, noteReached } from './access/principal.ts'
import { createRunLimit } from './access/run-limit.ts'
import { createDecisionAudit } from './audit-decisions.ts'
import type { Clock, Logger, ServerContext } from './context.ts'
import { createGatewayContext } from './gateway/gateway-context.ts'
import { type Dispatcher, dispatch } from './http/dispatch.ts'
import { type Listener, listen } from './http/listen.ts'
import { toNodeHost } from './http/node-host.ts'
import type { Route } from './http/route.ts'
import type { RouteContext } from './http/route-context.ts'
import { createRouter } from './http/router.ts'
import { createLineage } from './lineage.ts'
import { actAs, createCallHost } from './mcp/call-host.ts'
import type { Instruments } from './observe/instruments.ts'
import { logRequests } from './observe/request-log.ts'
import { createServerMetrics } from './observe/server-metrics.ts'
import { createReference } from './openapi/reference.ts'
import { resolvePorts, type ServerPorts } from './ports.ts'
import { ROUTES } from './routes.ts'
import { resolveSettings, type ServerSettings } from './settings.ts'
import { createStreamPool } from './stream-pool.ts'
import { openWebFiles } from './web/web-files.ts'

export interface ServerOptions {
  /** Stays the caller's: `close` does not close it. */
  readonly store: Store
  /** API keys, spending and the audit trail; without it only the keys of the settings exist. Stays the caller's. */
  readonly records?: Records
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
  /** Metrics that GET /metrics shows. Without it the route does not exist. */
  readonly instruments?: Instruments
  /** The folder with the built web app. Without it the server has no pages. */
  readonly webRoot?: string
}

export interface Server {
  /** Binds and returns the base URL. Throws when the address is taken. */
  listen(): Promise<string>
  /**
   * Reports permanently that this server is not ready, closes streams and accepts no new ones. Other requests are
   * served until `close`. Idempotent.
   */
  retire(): void
  /** Closes streams, rejects new requests, waits briefly for those in flight. Idempotent. */
  close(): Promise<void>
  /** The base URL; undefined before `listen`. */
  address(): string | undefined
  /** Serves a request of a Node server. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void
  readonly context: ServerContext
  /** Calls of the operator, without a request. */
  readonly operatorHost: CallHost
  /** Every route of this server. */
  readonly routes: readonly Route[]
}

const SILENT: Logger = { info() {}, error() {} }

/** Throws for a configuration that is unsafe or cannot work. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { records, clock, instruments, webRoot, store } = options
  const keys = createKeyBook({ apiKeys: options.settings.apiKeys ?? [], records, now: clock.now })
  const settings = resolveSettings(options.settings, await keys.required())
  const openRequests = createOpenRequests(keys)
  const services = await createContext(options, { settings, keys, openRequests })
  if (records) await settleLeftAudits(records, services.sessions.reader, clock.now())
  const routes: Route[] = []
  const gateway = createGatewayContext(services)
  const callHost = createCallHost(gateway)
  const mcpServer = services.ports.mcpServer?.open(callHost)
  const context: RouteContext = {
    ...services,
    gateway,
    mcpServer,
    providerTests: createLimiter(),
    reference: createReference(routes, settings.version),
    instruments,
    web: webRoot === undefined ? undefined : openWebFiles(webRoot),
  }
  routes.push(...ROUTES.filter(({ isServed }) => isServed?.(context) ?? true))
  const metrics = instruments && createServerMetrics(instruments, { ...services, store })
  const dispatcher: Dispatcher = {
    router: createRouter(routes),
    context,
    access: createAccessCheck({ keys, openRequests, records }),
    observers: [logRequests(services.logger), ...(metrics ? [metrics.observe] : [])],
  }
  const node: Server['node'] = (request, response) =>
    void dispatch(dispatcher, toNodeHost(request, response, request.url ?? '/'))
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
    context,
    operatorHost: actAs(LOCAL_OPERATOR, callHost),
    routes,
    address: () => listener?.url,
    async listen() {
      listener = await listen(node, settings)
      return listener.url
    },
    retire: () => services.streams.close(),
    close() {
      closed ??= close()
      return closed
    },
  }
}

interface ContextParts extends Pick<ServerContext, 'settings' | 'keys'> {
  readonly openRequests: OpenRequests
}

async function createContext(options: ServerOptions, parts: ContextParts): Promise<ServerContext> {
  const { store, runtime, ids, clock, records } = options
  const { settings } = parts
  const streams = createStreamPool(settings, currentPrincipal)
  const limit = createRunLimit(store, session => sessions.facts(session))
  // Routes see the sessions of their principal; followers of a session that a route found read the log itself.
  const owned = createOwnedStore(store, currentPrincipal, limit, noteReached)
  const sessions: Sessions = await createSessions({
    store: owned,
    log: store,
    runtime,
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
    ports: resolvePorts(options.ports),
    store: owned,
    sessions,
    records,
    principal: currentPrincipal,
    runtime,
    ids,
    clock,
    logger: options.logger ?? SILENT,
    streams,
    lineage: await createLineage(store, startAgain),
  }
}
