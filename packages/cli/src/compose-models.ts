/** The models of the product: the providers whose keys are set, the demo model, and what a module of the user adds. */
import { pathToFileURL } from 'node:url'
import {
  AppError,
  isObject,
  type Model,
  type ModelChooser,
  type ModelFinder,
  type ModelPart,
  type ModelRequest,
  type RunLimits,
  runLimits,
  type TokenCount,
} from '@toolwire/core'
import { createDemoModel, createRecorder, type Recorder, replayModels } from '@toolwire/demo'
import {
  type AiSdkLanguageModel,
  createAiSdkModel,
  createModelChooser,
  createModelFinder,
  estimateTokens,
  type Price,
} from '@toolwire/models'
import type { Blueprint, OwnModels } from './blueprint.ts'
import type { Config } from './config.ts'
import { ExitError } from './exit.ts'
import type { ModelMaker } from './provider-keys/provider-book.ts'
import type { ProviderKeys } from './provider-keys/provider-keys.ts'

export interface ProductModels {
  readonly find: ModelFinder
  readonly choose: ModelChooser
  /** Asks the provider where it counts. Throws AppError. */
  readonly countTokens: (id: string, request: ModelRequest, signal: AbortSignal) => Promise<TokenCount>
  /** Throws AppError for a model that cannot run. */
  readonly ask: (id: string, request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>
  /** Resolves when every recording is written. */
  readonly settled: () => Promise<void>
}

/** Throws ExitError when the module of the configuration cannot be used. */
export async function composeModels(
  { config, own, report }: Pick<Blueprint, 'config' | 'own' | 'report'>,
  { entries, discovered }: Pick<ProviderKeys, 'entries' | 'discovered'>,
): Promise<ProductModels> {
  const recorder = openRecorder(config, report)
  const standard = createModelFinder({
    demo: createDemoModel({ paceMs: config.demoPaceMs }),
    providers: entries,
    discovered,
    assumedPrice: assumedPrice(config),
    silence: defined({ bytesMs: config.modelSilenceMs, contentMs: config.modelThinkingMs }),
    retry: defined({ maxRetries: config.modelRetries, firstDelayMs: config.modelRetryMs }),
    providerTools: config.providerTools,
    ...(recorder ? { fetch: recorder.fetch } : {}),
    models: {
      ...replayModels(configuredModels(config)),
      ...(config.modelsModule === undefined ? {} : await loadModels(config.modelsModule)),
    },
  })
  const { aliases } = config
  const find: ModelFinder = id => findOwn(own().models, id) ?? standard(firstOf(aliases, id))
  return {
    find,
    choose: createModelChooser(aliases, entries),
    async countTokens(id, request, signal) {
      const model = find(id)
      return model.countTokens
        ? await model.countTokens({ ...request, model: model.id }, signal)
        : estimateTokens(request)
    },
    ask(id, request, signal) {
      const model = find(id)
      return model.stream({ ...request, model: model.id }, signal)
    },
    settled: async () => await recorder?.settled(),
  }
}

/** Facts of an alias are those of its first member. */
export const firstOf = (aliases: Config['aliases'], id: string): string =>
  (Object.hasOwn(aliases, id) ? aliases[id]?.[0] : undefined) ?? id

/** Undefined for an id that the program does not know; then the id may be one of a provider. */
function findOwn(models: OwnModels, id: string): Model | undefined {
  if (typeof models !== 'function') return Object.hasOwn(models, id) ? models[id] : undefined
  try {
    return models(id)
  } catch (error) {
    if (AppError.is(error) && error.code === 'unknown_model') return undefined
    throw error
  }
}

/** Ids of the models that the program brings; a finder lists none. */
export function ownModelIds({ own }: Pick<Blueprint, 'own'>): readonly string[] {
  const { models } = own()
  return typeof models === 'function' ? [] : Object.keys(models)
}

/** The ids that the operator named. Only these may name files. */
const configuredModels = ({ model, fallbackModels, agents }: Config): readonly string[] =>
  [model, ...fallbackModels, ...Object.values(agents.types ?? {}).map(type => type.model)].filter(
    id => id !== undefined,
  )

/** The operator's price of models without one. */
export const assumedPrice = ({ unpricedModels }: Pick<Config, 'unpricedModels'>): Price | undefined =>
  typeof unpricedModels === 'string' ? undefined : unpricedModels

/** Limits that the configuration sets for every run. */
export const configuredLimits = (config: Config): Omit<RunLimits, 'max_turns'> =>
  runLimits({
    max_cost_usd: config.maxCostUsd,
    max_total_tokens: config.maxTotalTokens,
    max_duration_ms: config.maxDurationMs,
    fallback_models: config.fallbackModels.length > 0 ? config.fallbackModels : undefined,
  })

function defined<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number
  }
}

/**
 * Functions of the modules that providers of the AI SDK name, by provider. Throws ExitError (usage) when one cannot be
 * loaded or is no function.
 */
export async function loadModelMakers(
  config: Pick<Config, 'providers'>,
): Promise<ReadonlyMap<string, ModelMaker>> {
  const makers = new Map<string, ModelMaker>()
  for (const [name, { module }] of Object.entries(config.providers)) {
    if (module === undefined) continue
    const [path = '', exported = name] = module.split('#')
    const loaded: unknown = await import(pathToFileURL(path).href).catch(error => {
      const why = error instanceof Error ? error.message : String(error)
      throw new ExitError('usage', `The module of the provider "${name}" cannot be loaded: ${why}`)
    })
    const make = isObject(loaded) ? loaded[exported] : undefined
    if (typeof make !== 'function')
      throw new ExitError(
        'usage',
        `The module ${path} must export a function "${exported}" that makes models.`,
      )
    makers.set(name, id => toLanguageModel(name, id, make(id)))
  }
  return makers
}

function toLanguageModel(name: string, id: string, model: unknown): AiSdkLanguageModel {
  if (isObject(model) && typeof model['doStream'] === 'function')
    return model as unknown as AiSdkLanguageModel
  throw new AppError('unknown_model', `The provider "${name}" makes no language model "${id}".`, {
    model: id,
  })
}

/** The module's `models`: language models of the AI SDK, or models of our own port, by their ids. */
async function loadModels(path: string): Promise<Readonly<Record<string, Model>>> {
  const loaded: unknown = await import(pathToFileURL(path).href).catch(error => {
    const why = error instanceof Error ? error.message : String(error)
    throw new ExitError('usage', `The module of modelsModule cannot be loaded: ${why}`)
  })
  const models = isObject(loaded) ? loaded['models'] : undefined
  if (!isObject(models))
    throw new ExitError(
      'usage',
      `The module ${path} must export an object "models": language models by their ids.`,
    )
  return Object.fromEntries(Object.entries(models).map(([id, model]) => [id, toModel(id, model, path)]))
}

function toModel(id: string, model: unknown, path: string): Model {
  const made = bridgeModel(id, model)
  if (made) return made
  throw new ExitError(
    'usage',
    `The model "${id}" of ${path} is no language model of the AI SDK and has no stream function.`,
  )
}

/** A model of the AI SDK, or of our own port; undefined for anything else. */
export function bridgeModel(id: string, model: unknown): Model | undefined {
  if (isObject(model) && typeof model['doStream'] === 'function')
    return { ...createAiSdkModel(model as unknown as AiSdkLanguageModel), id }
  return isObject(model) && typeof model['stream'] === 'function' ? (model as unknown as Model) : undefined
}

function openRecorder({ record, storage }: Config, report: Blueprint['report']): Recorder | undefined {
  if (record === undefined) return undefined
  return createRecorder(record, {
    maxBytes: storage.recordBytes,
    onFull: () => report(`${record} is full (storage.recordBytes); nothing more is recorded.`),
  })
}
