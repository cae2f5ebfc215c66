/** Translates the options of a program into the parts of the product. Loaded when the product is opened. */
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ToolwireError } from '@toolwire/client'
import type { Model, ModelFinder, Records, Store } from '@toolwire/core'
import type { Logger } from '@toolwire/server'
import { createMemoryRecords, createMemoryStore, openSqliteRecords, openSqliteStore } from '@toolwire/store'
import type { BuiltinName } from '@toolwire/tools'
import type { Blueprint, Data, OwnParts } from '../blueprint.ts'
import { bridgeModel } from '../compose-models.ts'
import { type Config, toConfig } from '../config.ts'
import { WEB_ROOT } from '../web-root.ts'
import { LIMIT_SETTINGS } from './read-options.ts'
import type { ToolwireOptions } from './toolwire-options.ts'

export interface ProgramParts {
  /** The options of the first call, which decide what is opened. */
  readonly options: ToolwireOptions
  /** Those of the latest call with the same key. */
  readonly latest: () => ToolwireOptions
  readonly logger: Logger
}

export function toBlueprint({ options, latest, logger }: ProgramParts): Blueprint {
  const { store = 'memory', env = {}, builtin = [], basePath = '' } = options
  const report = (sentence: string): void => logger.error({}, sentence)
  const isTemporary = options.data === undefined && !isFolder(store)
  const data = resolve(
    options.data ?? (isFolder(store) ? store.sqlite : join(tmpdir(), `toolwire-${randomUUID()}`)),
  )
  const { authenticate, auth, apiKeys = [] } = options
  const isSignedIn = authenticate !== undefined || auth !== undefined || apiKeys.length > 0
  return {
    config: toSettings(options, data),
    env,
    machineEnv: env,
    openData: async () => removeWith(await openStore(options, data, report), isTemporary ? data : undefined),
    openWorkspace: () =>
      options.workspace === undefined ? join(data, 'workspace') : openFolder(options.workspace),
    own: () => ownParts(latest()),
    builtin,
    logger,
    report,
    server: { basePath, anyHost: isSignedIn, strangers: options.access === 'open' ? 'any' : 'loopback' },
    webRoot: options.ui ? WEB_ROOT : undefined,
    runs: options.run ?? true,
    publicUrl: options.publicUrl?.replace(/\/$/, ''),
  }
}

const isFolder = (store: ToolwireOptions['store']): store is { readonly sqlite: string } =>
  typeof store === 'object' && 'sqlite' in store

function toSettings(options: ToolwireOptions, data: string): Config {
  const { store, limits = {}, workspace } = options
  const { effort, model, prompt, mcpServers, permissions, permissionMode, hooks } = options
  const { auth, apiKeys, allowedHosts, allowedOrigins } = options
  const same = { effort, model, prompt, mcpServers, permissions, permissionMode, hooks }
  const renamed = Object.entries(LIMIT_SETTINGS).map(([name, setting]) => [
    setting,
    (limits as Readonly<Record<string, unknown>>)[name],
  ])
  return toConfig({
    ...same,
    auth,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    ...Object.fromEntries(renamed),
    database: typeof store === 'object' && 'postgres' in store ? store.postgres : undefined,
    data,
    workspace: workspace === undefined ? join(data, 'workspace') : resolve(workspace),
    shellProfile: false,
    // Looking for a sandbox starts a process: only commands need one.
    sandbox: hasTool(options, 'Bash') ? 'auto' : 'off',
  })
}

const hasTool = ({ builtin = [] }: ToolwireOptions, name: BuiltinName): boolean =>
  builtin === 'all' || builtin.includes(name)

async function openStore(
  { store = 'memory', records }: ToolwireOptions,
  data: string,
  report: (sentence: string) => void,
): Promise<Data> {
  if (store === 'memory') return { store: createMemoryStore(), records: records ?? createMemoryRecords() }
  if ('sqlite' in store) {
    const onDamage = (problem: string): void => report(`The database in ${data} is damaged: ${problem}.`)
    const opened = await openSqliteStore({ dir: data, onDamage })
    return await withRecords(opened, async () => records ?? openSqliteRecords(data))
  }
  // A store that the program made stays its own.
  if (!('postgres' in store))
    return { store: closedBy(store, async () => {}), records: records ?? createMemoryRecords() }
  const { openDatabase, openDatabaseRecords } = await import('../open-database.ts')
  const { postgres: url } = store
  return await withRecords(await openDatabase(url), async () => records ?? (await openDatabaseRecords(url)))
}

async function withRecords(store: Store, open: () => Promise<Records>): Promise<Data> {
  try {
    return { store, records: await open() }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The store with another way to close it. Methods of a class are found by name. */
function closedBy(store: Store, close: () => Promise<void>): Store {
  const names = ['append', 'read', 'peek', 'claim', 'watch', 'list', 'remove', 'prune', 'stats'] as const
  const more = ['lineage', 'isLeaseExpired', 'hasLiveNode', 'checkIntegrity'] as const
  const methods = [...names, ...more].flatMap(name => {
    const method = store[name]
    return method === undefined ? [] : [[name, method.bind(store)] as const]
  })
  const { checkpoints } = store
  const parts = { ...Object.fromEntries(methods), ...(checkpoints === undefined ? {} : { checkpoints }) }
  return { ...(parts as unknown as Store), close }
}

/** Deletes the temporary folder of a product when its data are closed. */
function removeWith({ store, records }: Data, folder: string | undefined): Data {
  if (folder === undefined) return { store, records }
  const close = async (): Promise<void> => {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { records, store: closedBy(store, close) }
}

function ownParts({ tools = [], models = {}, authenticate }: ToolwireOptions): OwnParts {
  return {
    tools,
    models: typeof models === 'function' ? models : bridged(models),
    authenticate,
  }
}

const bridges = new WeakMap<object, Readonly<Record<string, Model>>>()

/** The same models for the same object: a model may keep what it knows of its provider. */
function bridged(
  models: Exclude<ToolwireOptions['models'], ModelFinder | undefined>,
): Readonly<Record<string, Model>> {
  const known = bridges.get(models)
  if (known) return known
  const made = Object.fromEntries(
    Object.entries(models).flatMap(([id, model]) => {
      const one = bridgeModel(id, model)
      return one ? [[id, one]] : []
    }),
  )
  bridges.set(models, made)
  return made
}

function openFolder(folder: string): string {
  const path = resolve(folder)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw new ToolwireError('workspace_unusable', `The workspace ${path} is not a folder.`)
}
