/** The HTTP server: puts guards, routes and streams together, and takes them down again. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type Ids, type Records, type StateSource, type Store } from '@toolwire/core'
import { type AnswerRules, createSessions, type Sessions, type Waker } from '@toolwire/session'
import Fastify, { type FastifyInstance } from 'fastify'
import { installAccess } from './access/install-access.ts'
import { createKeyBook } from './access/key-registry.ts'
import { createOpenRequests } from './access/open-requests.ts'
import { createOwnedStore } from './access/owned-store.ts'
import { settleLeftAudits } from './access/planned-audit.ts'
import { currentPrincipal, noteReached } from './access/principal.ts'
import { createRunLimit } from './access/run-limit.ts'
import { addAgUiRoutes } from './ag-ui/routes.ts'
import { addAiSdkRoutes } from './ai-sdk/routes.ts'
import { createDecisionAudit } from './audit-decisions.ts'
import { resolveConfig, type ServerConfig } from './config.ts'
import type { Clock, Logger, ServerContext } from './context.ts'
import { installErrors, sendError, toAppError, toErrorBody } from './errors.ts'
import { addGatewayRoutes } from './gateway/routes.ts'
import { installGuards } from './guard-host.ts'
import { installJsonBody } from './json-body.ts'
import { createLineage } from './lineage.ts'
import type { Instruments } from './observe/instruments.ts'
import { installRequestLog } from './observe/request-log.ts'
import { installMetrics } from './observe/server-metrics.ts'
import { createRouteTable, type Route } from './route-table.ts'
import { addAccessRoutes } from './routes/access.ts'
import { addAnswerRoutes } from './routes/answers.ts'
import { addCallRoutes } from './routes/calls.ts'
import { addChatRoutes } from './routes/chat.ts'
import { addContextRoute } from './routes/context.ts'
import { addEventRoutes } from './routes/events.ts'
import { addFileRoutes } from './routes/files.ts'
import { addForkRoute } from './routes/fork.ts'
import { addHealthRoutes } from './routes/health.ts'
import { addUpkeepRoutes } from './routes/maintenance.ts'
import { addMcpRoutes } from './routes/mcp.ts'
import { addMemoryRoutes } from './routes/memory.ts'
import { addModelListRoute } from './routes/models.ts'
import { addPermissionRoutes } from './routes/permissions.ts'
import { addProviderRoutes } from './routes/providers.ts'
import { addReferenceRoutes } from './routes/reference.ts'
import { addSessionRoutes } from './routes/sessions.ts'
import { addSettingsRoute } from './routes/settings.ts'
import { addToolPageRoutes } from './routes/tool-pages.ts'
import { addTryRoute } from './routes/try-tool.ts'
import { addChangesRoute, addUndoRoute } from './routes/undo.ts'
import { createStreamPool } from './stream-pool.ts'
import { addThreadRoutes } from './thread/routes.ts'

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
  readonly config: Partial<ServerConfig>
  readonly ids: Ids
  readonly clock: Clock
  readonly logger?: Logger
  /** The metrics registry; GET /metrics shows it. Without it the route does not exist. */
  readonly instruments?: Instruments
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
  /** For further routes; they pass the same guards. Add them before `listen`. */
  readonly app: FastifyInstance
  readonly context: ServerContext
  /** Every route that was added. */
  readonly routes: () => readonly Route[]
}

const SILENT: Logger = { info() {}, error() {} }

/** Throws for a configuration that is unsafe or cannot work. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { store, runtime, ids, clock, records } = options
  const keys = createKeyBook({ apiKeys: options.config.apiKeys ?? [], records, now: clock.now })
  const config = resolveConfig(options.config, await keys.required())
  const logger = options.logger ?? SILENT
  const streams = createStreamPool(config, currentPrincipal)
  const openRequests = createOpenRequests(keys)
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
    pollMs: config.pollMs,
  })
  function startAgain(): void {
    sessions.forget()
    // Readers reconnect with cursors of the earlier history and get a reset.
    streams.cut()
  }
  const context: ServerContext = {
    store: owned,
    sessions,
    records,
    principal: currentPrincipal,
    keys,
    openRequests,
    runtime,
    config,
    ids,
    clock,
    logger,
    streams,
    lineage: await createLineage(store, startAgain),
  }
  if (records) await settleLeftAudits(records, sessions.reader, clock.now())
  const app = createApp(config)
  const routes = createRouteTable(app)
  installRequestLog(app, logger)
  installErrors(app, routes, logger)
  installGuards(app, config)
  installAccess(app, { keys, openRequests, records })
  installJsonBody(app)
  if (options.instruments) installMetrics(app, options.instruments, { ...context, store })
  for (const add of ROUTES) add(app, context)
  addReferenceRoutes(app, { routes: routes.all, version: config.version })
  let url: string | undefined
  let closed: Promise<void> | undefined
  return {
    app,
    context,
    routes: () => routes.all(),
    address: () => url,
    async listen() {
      url = await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
      return url
    },
    retire: () => context.streams.close(),
    close: () => {
      openRequests.close()
      closed ??= closeServer(app, context)
      return closed
    },
  }
}

const ROUTES = [
  addHealthRoutes,
  addAccessRoutes,
  addSessionRoutes,
  addModelListRoute,
  addChatRoutes,
  addEventRoutes,
  addAnswerRoutes,
  addForkRoute,
  addPermissionRoutes,
  addCallRoutes,
  addTryRoute,
  addUndoRoute,
  addChangesRoute,
  addFileRoutes,
  addContextRoute,
  addMcpRoutes,
  addToolPageRoutes,
  addMemoryRoutes,
  addSettingsRoute,
  addProviderRoutes,
  addUpkeepRoutes,
  addThreadRoutes,
  addAiSdkRoutes,
  addAgUiRoutes,
  addGatewayRoutes,
]

/** Connections that may wait while the process is busy: thousands come back at once after a restart. Systems cut it to their own limit. */
const BACKLOG = 4096

function createApp(config: ServerConfig): FastifyInstance {
  const app = Fastify({
    bodyLimit: config.bodyLimit,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 120_000,
    genReqId: toRequestId,
    http: { maxHeaderSize: config.maxHeaderBytes },
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      void sendError(request, reply.header('x-request-id', request.id), toAppError(error))
    },
  })
  app.server.maxConnections = config.maxConnections
  return app
}

/** Routes validate their input. Fastify would otherwise load its schema compilers at every start. */
function refuseSchema(): never {
  throw new TypeError('Routes of this server have no schemas: check the body in the handler.')
}

const GRACE_MS = 3000

async function closeServer(app: FastifyInstance, context: ServerContext): Promise<void> {
  context.streams.close()
  context.sessions.close()
  context.lineage.close()
  const impatient = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
  await app.close()
  clearTimeout(impatient)
}

/** A caller's own id is kept when it is harmless to print. */
function toRequestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
}

/** A request that is not HTTP never reaches a route; it still gets an answer of the common shape. */
function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const refusal = tooLarge
    ? new AppError('payload_too_large', 'The headers are too large.')
    : new AppError('bad_request')
  const id = randomUUID()
  const body = JSON.stringify(toErrorBody(refusal, id))
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`
  if (socket.writable) socket.write(head + body)
  socket.destroySoon()
}
