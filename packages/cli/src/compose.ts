/** The one place where ports meet implementations. Everything else takes what it needs as arguments. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  AppError,
  type CallHost,
  type ModelFinder,
  type Records,
  type Store,
  type Tool,
  type ToolSetting,
  TRY_MODEL,
} from '@toolwire/core'
import type { ModelEnvironment } from '@toolwire/models'
import { createRuntime, MEDIA_BUDGET, type Runtime } from '@toolwire/runtime'
import {
  createServer,
  DEFAULT_OWNER,
  type ListedTool,
  readOwnerPrompt,
  type Server,
  type ServerPorts,
  type ServerSettings,
} from '@toolwire/server'
import { createStateSource } from '@toolwire/store'
import { answerRules, canonicalPath, createUndo, toolEffect, tryModel } from '@toolwire/tools'
import { composeEngine, type EngineEnvironment, type ProductEngine, requireEngine } from './compose-engine.ts'
import { composeMcpServer } from './compose-mcp-server.ts'
import {
  assumedPrice,
  composeModels,
  configuredLimits,
  loadModelMakers,
  type ProductModels,
} from './compose-models.ts'
import { composeObservers, type Observers } from './compose-observers.ts'
import { composePrompt } from './compose-prompt.ts'
import { serveSkills } from './compose-skills.ts'
import {
  composeTools,
  type ProductTools,
  serveFiles,
  serveTools,
  type ToolEnvironment,
  toolNames,
} from './compose-tools.ts'
import type { Config } from './config.ts'
import { availableModels, defaultModel, modelFacts } from './default-model.ts'
import { ExitError } from './exit.ts'
import { randomIds } from './ids.ts'
import { openData } from './open-data.ts'
import { openRecords } from './open-records.ts'
import { tidyKeyFile } from './provider-keys/key-file.ts'
import { openProviderKeys, type ProviderKeys } from './provider-keys/provider-keys.ts'
import { secureData } from './secure-data.ts'
import { removeWithFiles, sweep } from './stored-files.ts'
import { printError } from './terminal.ts'
import { VERSION } from './version.ts'
import { WEB_ROOT } from './web-root.ts'
import { prepareWorkspace } from './workspace.ts'

/** The variables that are not settings of the server itself: keys of providers. */
export interface ProductEnvironment extends ModelEnvironment, ToolEnvironment, EngineEnvironment {
  readonly TOOLWIRE_LOG?: string | undefined
}

export interface Product {
  readonly url: string
  readonly model: string
  readonly workspace: string
  /** Calls of the one who runs this process. */
  readonly callHost: CallHost
  /** Stops listening, leaves runs where they are (the next start resumes them), closes the data. */
  readonly close: () => Promise<void>
}

/** Starts everything. Throws ExitError for problems that a user can fix; then nothing is left open. */
export async function compose(config: Config, env: ProductEnvironment): Promise<Product> {
  const warning = secureData(config.data)
  if (warning !== undefined) printError(`toolwire: ${warning}\n`)
  const store = await openData(config)
  const records = await openRecords(config).catch(async error => {
    await store.close()
    throw error
  })
  try {
    return await assemble(config, env, { store, records })
  } catch (error) {
    await records.close()
    await store.close()
    throw error
  }
}

interface Data {
  readonly store: Store
  readonly records: Records
}

async function assemble(config: Config, env: ProductEnvironment, data: Data): Promise<Product> {
  const workspace = prepareWorkspace(config.workspace, config.data)
  const engine = composeEngine(env)
  await requireEngine(engine, config.engine)
  tidyKeyFile(config.data)
  const keys = openProviderKeys({
    data: config.data,
    env: { ...env },
    hosts: config.providerHosts,
    providers: config.providers,
    makers: await loadModelMakers(config),
  })
  const models = await composeModels(config, keys)
  const model = (): string => config.model ?? defaultModel(keys)
  for (const id of [model(), ...config.fallbackModels]) checkModel(models.find, id)
  const artifacts = canonicalPath(join(config.data, 'artifacts'))
  const tools = await composeTools(config, env, artifacts)
  await tools.own.refresh()
  try {
    return await serve({ config, env, ...data, workspace, keys, models, engine, model, artifacts, tools })
  } catch (error) {
    await tools.close()
    throw error
  }
}

interface Parts extends Data {
  readonly config: Config
  readonly env: ProductEnvironment
  readonly workspace: string
  readonly keys: ProviderKeys
  readonly models: ProductModels
  readonly engine: ProductEngine
  /** The default of new sessions: it may change with the keys. */
  readonly model: () => string
  readonly artifacts: string
  readonly tools: ProductTools
}

/** Bounds of the requests to models. */
const requestSettings = ({ compaction, media, unpricedModels }: Config) => ({
  compaction: compaction === 'auto',
  unpriced: unpricedModels === 'refuse' ? ('refuse' as const) : ('allow' as const),
  ...(media === undefined ? {} : { media: { ...MEDIA_BUDGET, ...media } }),
})

const promptOf = ({ config, workspace, artifacts, tools, records }: Parts) =>
  composePrompt(config, workspace, artifacts, {
    ...tools.machine,
    explain: tools.system.explain,
    ownerOf: async id => await readOwnerPrompt(records, (await tools.machine.tenantOf(id)) ?? DEFAULT_OWNER),
  })

async function serve(parts: Parts): Promise<Product> {
  const { config, env, records, workspace, keys, models, model, artifacts, tools } = parts
  const observed = composeObservers(parts.store, records, env.TOOLWIRE_LOG, reportBug)
  const { instruments, logger } = observed
  const store = removeWithFiles(observed.store, artifacts, tools.disk)
  tools.machine.knowOwners(store)
  const clock = { now: () => new Date() }
  const states = createStateSource({ log: parts.store, checkpoints: parts.store.checkpoints })
  const undo = createUndo({ log: store, artifacts, now: clock.now, newId: randomIds.prefixed })
  const runtime = createRuntime({
    log: store,
    states,
    models: id => (id === TRY_MODEL ? tryModel : models.find(id)),
    tools: tools.system,
    ...requestSettings(config),
    prompt: promptOf(parts),
    engines: { all: [parts.engine.engine], standard: config.engine },
    ids: randomIds,
    clock,
    node: `node-${process.pid}-${randomUUID()}`,
    get toolNames() {
      return tools.list().map(tool => tool.name)
    },
    maxTurns: config.maxTurns,
    limits: configuredLimits(config),
    effort: config.effort,
    leaseMs: config.leaseMs,
    shared: config.database !== undefined,
    onError: (error, session) => reportBug(error, session),
  })
  const mcpServer = await composeMcpServer(config)
  const server = await createServer({
    store,
    states,
    records,
    instruments,
    runtime,
    rules: answerRules,
    ids: randomIds,
    clock,
    logger,
    webRoot: WEB_ROOT,
    settings: toSettings(parts),
    ports: {
      currentModel: model,
      ...leasesOf(parts.store, runtime),
      listTools: () => listTools(parts),
      ...serveTools(tools, artifacts),
      files: serveFiles(tools),
      skills: serveSkills(config, workspace),
      undo: async (session, request) => ({ ...(await undo(session, request)) }),
      mcp: { ...tools.mcp, status: () => tools.mcp.status().map(status => ({ ...status })) },
      ...(mcpServer ? { mcpServer } : {}),
      explainPermission: async request => ({ ...(await tools.system.explain(request)) }),
      listModels: () => availableModels(keys),
      providers: keys.port,
      describeModel: id => modelFacts(id, { ...keys, assumedPrice: assumedPrice(config) }),
      checkModel: id => void models.find(id),
      countTokens: models.countTokens,
      checkEngine: parts.engine.check,
    },
  }).catch(explainServer(config))
  const url = await server.listen().catch(explainListen(config))
  tools.mcp.listensAt(url)
  await runtime.start().catch(async error => {
    await server.close()
    await runtime.stop()
    throw error
  })
  await tools.machine.tellEnds(store, session => runtime.wake(session))
  sweep(store, artifacts, tools.disk)
  const stopDiscovery = startDiscovery(keys)
  return {
    url,
    model: model(),
    workspace,
    callHost: server.operatorHost,
    close: () => closeProduct(parts, { server, runtime, observed, stopDiscovery }),
  }
}

/** A provider that does not answer delays nothing. Returns a function that ends it. */
function startDiscovery(keys: ProviderKeys): () => void {
  const controller = new AbortController()
  void keys.discover(controller.signal)
  return () => controller.abort()
}

const toSettings = ({ config, workspace, tools }: Parts): Partial<ServerSettings> => ({
  host: config.host,
  port: config.port,
  apiKeys: config.apiKeys,
  sealSecrets: config.sealSecrets,
  ...streamLimits(config),
  allowedHosts: config.allowedHosts,
  allowedOrigins: config.allowedOrigins,
  workspace,
  permissionMode: config.permissionMode,
  effort: config.effort,
  shared: config.database !== undefined,
  toolNames: toolNames(tools),
  gatewayTools: config.gatewayTools,
  limits: configuredLimits(config),
  version: VERSION,
})

/** Stores of one process have no leases. */
const leasesOf = (store: Store, runtime: Runtime): Pick<ServerPorts, 'leases'> =>
  store.isLeaseExpired
    ? { leases: { self: () => runtime.node(), isLeaseExpired: store.isLeaseExpired.bind(store) } }
    : {}

interface StartedParts {
  readonly server: Server
  readonly runtime: Runtime
  readonly observed: Observers
  readonly stopDiscovery: () => void
}

/** Closes users before what they use. */
async function closeProduct(parts: Parts, started: StartedParts): Promise<void> {
  const { server, runtime, observed } = started
  const { config } = parts
  started.stopDiscovery()
  // Not ready from here on. Readers continue at another node, from the log, while runs finish here.
  server.retire()
  if (config.database === undefined) {
    await server.close()
    await runtime.stop()
  } else {
    await runtime.drain(config.drainMs)
    // Handed over before the last connections are waited for.
    await runtime.stop()
    await server.close()
  }
  await parts.engine.engine.close()
  await parts.tools.close()
  await parts.models.settled()
  await observed.settled()
  await parts.records.close()
  await observed.store.close()
}

/** Those that are set; the server knows the others. */
function streamLimits({ maxStreams, maxStreamsPerKey, maxStreamsPerOwner }: Config): Partial<ServerSettings> {
  return {
    ...(maxStreams === undefined ? {} : { maxStreams }),
    ...(maxStreamsPerKey === undefined ? {} : { maxStreamsPerKey }),
    ...(maxStreamsPerOwner === undefined ? {} : { maxStreamsPerOwner }),
  }
}

/** The tools of a session with the server's settings. */
function listTools({ config, workspace, model, tools }: Parts): readonly ListedTool[] {
  const setting = { cwd: workspace, permission_mode: config.permissionMode, model: model() }
  return tools.list().map(tool => ({
    ...toListed(tool, setting),
    ...(tools.mcp.pages.server(tool.name) === undefined ? {} : { page: true }),
  }))
}

/** The tool as GET /api/tools lists it. */
function toListed(tool: Tool, setting: ToolSetting): ListedTool {
  const { name, description, input_schema, destructive } = tool
  return {
    name,
    description: typeof description === 'string' ? description : description(setting),
    input_schema,
    effect: toolEffect(tool),
    ...(destructive ? { destructive } : {}),
  }
}

function checkModel(models: ModelFinder, id: string): void {
  try {
    models(id)
  } catch (error) {
    if (AppError.is(error)) throw new ExitError('usage', error.message)
    throw error
  }
}

function explainServer(config: Config): (error: unknown) => never {
  return error => {
    if (config.apiKeys.length === 0 && config.host !== '127.0.0.1')
      throw new ExitError(
        'usage',
        `Other machines could reach ${config.host}: set TOOLWIRE_API_KEYS, or listen on 127.0.0.1.`,
      )
    throw new ExitError(
      'usage',
      `The server cannot be set up: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

function explainListen(config: Config): (error: unknown) => never {
  return error => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const at = `${config.host}:${config.port}`
    if (code === 'EADDRINUSE')
      throw new ExitError(
        'address',
        `Port ${config.port} is in use; stop the other program or choose another port with --port.`,
      )
    if (code === 'EACCES')
      throw new ExitError(
        'address',
        `Listening on ${at} is not allowed; choose a port above 1023 with --port.`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new ExitError(
        'address',
        `${config.host} is no address of this machine; choose another with --host.`,
      )
    throw error
  }
}

function reportBug(error: unknown, session: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  printError(`toolwire: bug in session ${session}: ${text}\n`)
}
