/** The one place where ports meet implementations. Everything else takes what it needs as arguments. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  AppError,
  type FileStore,
  type ModelFinder,
  type Store,
  type Tool,
  type ToolSetting,
  TRY_MODEL,
} from '@toolwire/core'
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
import { createStateSource, type OwnedStateSource } from '@toolwire/store'
import { answerRules, canonicalPath, createUndo, toolEffect, tryModel } from '@toolwire/tools'
import type { Blueprint, Data } from './blueprint.ts'
import { composeEngine, type ProductEngine, requireEngine } from './compose-engine.ts'
import { composeMcpServer } from './compose-mcp-server.ts'
import {
  assumedPrice,
  composeModels,
  configuredLimits,
  firstOf,
  loadModelMakers,
  ownModelIds,
  type ProductModels,
} from './compose-models.ts'
import { composeObservers, type Observers } from './compose-observers.ts'
import { serveProjectAgents } from './compose-project-agents.ts'
import { composePrompt } from './compose-prompt.ts'
import { serveSkills } from './compose-skills.ts'
import { composeTools, type ProductTools, serveFiles, serveTools, toolNames } from './compose-tools.ts'
import type { Config } from './config.ts'
import { availableModels, defaultModel, modelFacts } from './default-model.ts'
import { ExitError } from './exit.ts'
import { randomIds } from './ids.ts'
import { tidyKeyFile } from './provider-keys/key-file.ts'
import { openProviderKeys, type ProviderKeys } from './provider-keys/provider-keys.ts'
import { readDocument } from './read-document.ts'
import { startRemoval } from './remove-unstored.ts'
import { openFiles, removeWithFiles, sweep } from './stored-files.ts'
import { VERSION } from './version.ts'
import { createWorkerCheck } from './worker-check.ts'

export interface OpenedProduct {
  readonly server: Server
  /** The default model of new sessions. */
  readonly model: string
  readonly workspace: string
  /** Sets the address to which browsers return from a sign-in at an MCP server. */
  readonly listensAt: (url: string) => void
  /** Claims and runs sessions from now on. Call it once. */
  readonly start: () => Promise<void>
  /** Leaves runs where they are (the next start resumes them) and closes the data. */
  readonly close: () => Promise<void>
}

/**
 * Opens everything; runs and listens to nothing yet. Throws ExitError for problems that a user can fix; then nothing
 * is left open.
 */
export async function openProduct(blueprint: Blueprint): Promise<OpenedProduct> {
  const { store, records } = await blueprint.openData()
  try {
    return await assemble(blueprint, { store, records })
  } catch (error) {
    await records.close()
    await store.close()
    throw error
  }
}

async function assemble(blueprint: Blueprint, data: Data): Promise<OpenedProduct> {
  const { config, env } = blueprint
  const workspace = blueprint.openWorkspace()
  const engine = composeEngine(env, blueprint.machineEnv)
  await requireEngine(engine, config.engine)
  tidyKeyFile(config.data)
  const keys = openProviderKeys({
    data: config.data,
    env: { ...env },
    hosts: config.providerHosts,
    providers: config.providers,
    makers: await loadModelMakers(config),
  })
  const models = await composeModels(blueprint, keys)
  const model = (): string => config.model ?? ownModelIds(blueprint)[0] ?? defaultModel(keys)
  for (const id of namedModels(model(), config)) checkModel(models.find, id)
  const artifacts = canonicalPath(join(config.data, 'artifacts'))
  const tools = await composeTools(blueprint, artifacts)
  await tools.own.refresh()
  const files = await openFiles(config)
  try {
    return await serve({
      ...blueprint,
      ...data,
      files,
      workspace,
      keys,
      models,
      engine,
      model,
      artifacts,
      tools,
    })
  } catch (error) {
    await tools.close()
    await files.close()
    throw error
  }
}

/** All that the configuration names, so that a mistake in it ends the start. */
const namedModels = (model: string, { fallbackModels, aliases, providers }: Config): readonly string[] => [
  model,
  ...fallbackModels,
  ...Object.values(aliases).flat(),
  ...Object.values(providers).flatMap(({ fallbacks }) => fallbacks ?? []),
]

interface Parts extends Blueprint, Data {
  readonly workspace: string
  readonly keys: ProviderKeys
  readonly models: ProductModels
  readonly engine: ProductEngine
  /** The default of new sessions: it may change with the keys. */
  readonly model: () => string
  readonly artifacts: string
  readonly tools: ProductTools
  readonly files: FileStore
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

async function serve(parts: Parts): Promise<OpenedProduct> {
  const { records, workspace, model, artifacts, tools, runs, keys, files } = parts
  const observed = composeObservers(parts, reportBug(parts))
  const stored = { artifacts, disk: tools.disk, files }
  const store = removeWithFiles(observed.store, stored)
  tools.machine.knowOwners(store)
  const states = createStateSource({ log: parts.store, checkpoints: parts.store.checkpoints })
  const runtime = runs ? createRunner(parts, { log: store, states, refuse: observed.refuse }) : undefined
  const mcpServer = await composeMcpServer(parts.config)
  const server = await createServer({
    store,
    states,
    records,
    files,
    instruments: observed.instruments,
    // Another process finds what this one stores.
    runtime: runtime ?? { wake() {} },
    rules: answerRules,
    ids: randomIds,
    clock,
    logger: parts.logger,
    ...(parts.webRoot === undefined ? {} : { webRoot: parts.webRoot }),
    authenticate: parts.own().authenticate && (request => parts.own().authenticate?.(request)),
    auth: parts.config.auth && { settings: parts.config.auth, readDocument },
    settings: toSettings(parts),
    ports: { ...toPorts(parts, store, runtime), ...(mcpServer ? { mcpServer } : {}) },
  }).catch(explainServer(parts.config))
  const tasks = [startDiscovery(keys)]
  return {
    server,
    model: model(),
    workspace,
    listensAt: tools.mcp.listensAt,
    async start() {
      await runtime?.start()
      if (!runtime) return
      await tools.machine.tellEnds(store, session => runtime.wake(session))
      tasks.push(sweep(store, stored), startRemoval(store, parts.config.unstoredHours))
    },
    close: () => closeProduct(parts, { server, runtime, observed, tasks }),
  }
}

const clock = { now: () => new Date() }

function createRunner(
  parts: Parts,
  given: { readonly log: Store; readonly states: OwnedStateSource; readonly refuse: Observers['refuse'] },
): Runtime {
  const { config, models, tools } = parts
  return createRuntime({
    ...given,
    models: id => (id === TRY_MODEL ? tryModel : models.find(id)),
    choose: models.choose,
    tools: tools.system,
    ...requestSettings(config),
    files: parts.files,
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
    shared: isShared(parts),
    onError: reportBug(parts),
  })
}

function toPorts(parts: Parts, log: Store, runtime: Runtime | undefined): Partial<ServerPorts> {
  const { config, keys, models, tools, artifacts } = parts
  const undo = createUndo({ log, artifacts, now: clock.now, newId: randomIds.prefixed })
  return {
    currentModel: parts.model,
    ...leasesOf(parts.store, runtime),
    ...(runtime ? {} : { hasWorker: createWorkerCheck(parts.store) }),
    listTools: () => listTools(parts),
    ...serveTools(tools, artifacts),
    files: serveFiles(tools),
    skills: serveSkills(config, parts.workspace),
    projectAgents: serveProjectAgents(config, parts.workspace),
    undo: async (session, request) => ({ ...(await undo(session, request)) }),
    mcp: { ...tools.mcp, status: () => tools.mcp.status().map(status => ({ ...status })) },
    explainPermission: async request => ({ ...(await tools.system.explain(request)) }),
    listModels: () => [
      ...new Set([...ownModelIds(parts), ...Object.keys(config.aliases), ...availableModels(keys)]),
    ],
    providers: keys.port,
    describeModel: id =>
      modelFacts(firstOf(config.aliases, id), { ...keys, assumedPrice: assumedPrice(config) }),
    checkModel: id => void models.find(id),
    countTokens: models.countTokens,
    askModel: models.ask,
    checkEngine: parts.engine.check,
  }
}

/** A provider that does not answer delays nothing. Returns a function that ends it. */
function startDiscovery(keys: ProviderKeys): () => void {
  const controller = new AbortController()
  void keys.discover(controller.signal)
  return () => controller.abort()
}

const toSettings = ({ config, workspace, tools, server, store }: Parts): Partial<ServerSettings> => ({
  host: config.host,
  port: config.port,
  apiKeys: config.apiKeys,
  sealSecrets: config.sealSecrets,
  importHistory: config.importHistory,
  ...streamLimits(config),
  allowedHosts: config.allowedHosts,
  allowedOrigins: config.allowedOrigins,
  workspace,
  permissionMode: config.permissionMode,
  effort: config.effort,
  shared: isShared({ store }),
  toolNames: toolNames(tools),
  gatewayTools: config.gatewayTools,
  limits: configuredLimits(config),
  version: VERSION,
  ...server,
})

/** Stores of one process have no leases. */
const isShared = ({ store }: Pick<Data, 'store'>): boolean => store.isLeaseExpired !== undefined

const leasesOf = (store: Store, runtime: Runtime | undefined): Pick<ServerPorts, 'leases'> =>
  store.isLeaseExpired
    ? { leases: { self: () => runtime?.node() ?? '', isLeaseExpired: store.isLeaseExpired.bind(store) } }
    : {}

interface StartedParts {
  readonly server: Server
  readonly runtime: Runtime | undefined
  readonly observed: Observers
  /** End work beside the requests. */
  readonly tasks: readonly (() => void)[]
}

/** Closes users before what they use. */
async function closeProduct(parts: Parts, started: StartedParts): Promise<void> {
  const { server, runtime, observed } = started
  const { config } = parts
  for (const stop of started.tasks) stop()
  // Not ready from here on. Readers continue at another node, from the log, while runs finish here.
  server.retire()
  if (!isShared(parts)) {
    await server.close()
    await runtime?.stop()
  } else {
    await runtime?.drain(config.drainMs)
    // Handed over before the last connections are waited for.
    await runtime?.stop()
    await server.close()
  }
  await parts.engine.engine.close()
  await parts.tools.close()
  await parts.models.settled()
  await observed.settled()
  await parts.files.close()
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

const reportBug =
  ({ report }: Blueprint) =>
  (error: unknown, session: string): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    report(`bug in session ${session}: ${text}`)
  }

function explainServer(config: Config): (error: unknown) => never {
  return error => {
    if (config.apiKeys.length === 0 && !config.auth && config.host !== '127.0.0.1')
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
