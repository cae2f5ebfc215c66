/** The one place where ports meet implementations. Everything else takes what it needs as arguments. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  AppError,
  type ModelFinder,
  type Store,
  type Tool,
  type ToolSetting,
  type ToolSpec,
} from '@toolwire/core'
import { createDemoModel, createModelFinder, createRecorder, type ModelEnvironment } from '@toolwire/models'
import { createClaudeAgentSdkEngine, createRuntime, createUndo, sweepArtifacts } from '@toolwire/runtime'
import { addWebRoutes, createServer } from '@toolwire/server'
import { openSqliteStore, StoreLockedError, StoreOpenError } from '@toolwire/store'
import { composeTools, type ProductTools, type ToolEnvironment } from './compose-tools.ts'
import type { Config } from './config.ts'
import { availableModels, defaultModel } from './default-model.ts'
import { ExitError } from './exit.ts'
import { randomIds } from './ids.ts'
import { createLogger } from './logger.ts'
import { VERSION } from './version.ts'
import { prepareWorkspace } from './workspace.ts'

/** The variables that are not settings of the server itself: keys of providers. */
export interface ProductEnvironment extends ModelEnvironment, ToolEnvironment {
  /** Folder of the optional package, when it is not where Node would find it. */
  readonly TOOLWIRE_AGENT_SDK?: string | undefined
  readonly TOOLWIRE_LOG?: string | undefined
}

export interface Product {
  readonly url: string
  readonly model: string
  readonly workspace: string
  /** Stops listening, leaves runs where they are (the next start takes them up), closes the data. */
  readonly close: () => Promise<void>
}

/** The built web app of this checkout. */
const WEB_ROOT = fileURLToPath(new URL('../../../apps/web/dist', import.meta.url))

/** Starts everything. Throws ExitError for what a user can mend; then nothing is left open. */
export async function compose(config: Config, env: ProductEnvironment): Promise<Product> {
  const store = await openData(config.data)
  try {
    return await assemble(config, env, store)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function assemble(config: Config, env: ProductEnvironment, store: Store): Promise<Product> {
  const workspace = prepareWorkspace(config.workspace, config.data)
  const models = createModels(config, env)
  const model = config.model ?? defaultModel(env)
  checkModel(models.find, model)
  const artifacts = join(config.data, 'artifacts')
  const tools = composeTools(config, env, artifacts)
  try {
    return await serve({ config, env, store, workspace, models, model, artifacts, tools })
  } catch (error) {
    await tools.close()
    throw error
  }
}

interface Parts {
  readonly config: Config
  readonly env: ProductEnvironment
  readonly store: Store
  readonly workspace: string
  readonly models: Models
  readonly model: string
  readonly artifacts: string
  readonly tools: ProductTools
}

async function serve(parts: Parts): Promise<Product> {
  const { config, env, store, workspace, models, model, artifacts, tools } = parts
  const clock = { now: () => new Date() }
  const engine = createClaudeAgentSdkEngine({ folder: env.TOOLWIRE_AGENT_SDK })
  const undo = createUndo({ log: store, artifacts, now: clock.now, newId: randomIds.prefixed })
  const runtime = createRuntime({
    log: store,
    models: models.find,
    tools: tools.system,
    engines: { all: [engine], standard: config.engine },
    ids: randomIds,
    clock,
    node: `node-${randomUUID()}`,
    get toolNames() {
      return tools.list().map(tool => tool.name)
    },
    maxTurns: config.maxTurns,
    onError: (error, session) => reportBug(error, session),
  })
  const server = await createServer({
    store,
    runtime,
    ids: randomIds,
    clock,
    logger: createLogger(env.TOOLWIRE_LOG),
    config: {
      host: config.host,
      port: config.port,
      apiKeys: config.apiKeys,
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
      model,
      workspace,
      permissionMode: config.permissionMode,
      listTools: () =>
        tools
          .list()
          .map(tool => toSpec(tool, { cwd: workspace, permission_mode: config.permissionMode, model })),
      toolNames: [...tools.list().map(tool => tool.name), 'mcp__*'],
      undo: async (session, request) => ({ ...(await undo(session, request)) }),
      explainPermission: async request => ({ ...(await tools.system.explain(request)) }),
      gatewayTools: config.gatewayTools,
      listModels: () => availableModels(env),
      checkModel: id => void models.find(id),
      version: VERSION,
    },
  }).catch(explainServer(config))
  addWebRoutes(server.app, { root: WEB_ROOT })
  const url = await server.listen().catch(explainListen(config))
  await runtime.start()
  sweep(store, artifacts)
  return {
    url,
    model,
    workspace,
    async close() {
      await server.close()
      await runtime.stop()
      await engine.close()
      await tools.close()
      await models.settled()
      await store.close()
    },
  }
}

/** The tool as GET /api/tools lists it. */
function toSpec(tool: Tool, setting: ToolSetting): ToolSpec {
  const { name, description, input_schema } = tool
  return {
    name,
    description: typeof description === 'string' ? description : description(setting),
    input_schema,
  }
}

const WEEK = 7 * 86_400_000
const GIGABYTE = 1024 ** 3

/** Outputs of deleted sessions go, once per start and beside the work; a failure costs disk space, nothing else. */
function sweep(store: Store, artifacts: string): void {
  sweepArtifacts(artifacts, {
    max_age_ms: WEEK,
    max_bytes: GIGABYTE,
    now: Date.now(),
    isReferenced: async folder => (await store.list({ ids: [folder], limit: 1 })).items.length > 0,
  }).catch(() => {})
}

export async function openData(dir: string): Promise<Store> {
  try {
    return await openSqliteStore({ dir })
  } catch (error) {
    if (error instanceof StoreLockedError)
      throw new ExitError(
        'data',
        `The data folder ${dir} is used by another running server; stop it or choose another folder with --data.`,
      )
    if (error instanceof StoreOpenError)
      throw new ExitError(
        'data',
        `The data folder ${dir} cannot be used; choose another with --data. ${error.message}.`,
      )
    throw error
  }
}

interface Models {
  readonly find: ModelFinder
  /** Resolves when every recording is written. */
  readonly settled: () => Promise<void>
}

function createModels(config: Config, env: ProductEnvironment): Models {
  const recorder = config.record === undefined ? undefined : createRecorder(config.record)
  const demo = createDemoModel({ paceMs: config.demoPaceMs })
  return {
    find: createModelFinder({ demo, env, ...(recorder ? { fetch: recorder.fetch } : {}) }),
    settled: async () => await recorder?.settled(),
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
  process.stderr.write(`toolwire: bug in session ${session}: ${text}\n`)
}
