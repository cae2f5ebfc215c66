/**
 * From a model's id to the model. Ids: `demo`, `anthropic/<id>`, `openai/<id>`, a bare
 * `claude-*`, `gpt-*` or `o<digit>*`, and whatever the configuration adds. Clients choose ids, so
 * none of them names a file. An id that the capability table does not list goes to its provider.
 */
import type { LookupFunction } from 'node:net'
import { AppError, type Model, type ModelFinder } from '@toolwire/core'
import { createAnthropicModel } from './anthropic/model.ts'
import { listedModels } from './capabilities.ts'
import { nearNames } from './near-names.ts'
import { createOpenAiModel } from './openai-model.ts'
import { isReplayId } from './record/replay-model.ts'
import type { PatienceOptions } from './shared/retry-policy.ts'

/** The variables that matter; the process environment fits. */
export interface ModelEnvironment {
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly ANTHROPIC_BASE_URL?: string | undefined
  readonly OPENAI_API_KEY?: string | undefined
  readonly OPENAI_BASE_URL?: string | undefined
}

/** Providers whose keys and addresses the environment holds. */
export type Provider = 'anthropic' | 'openai'

export interface ModelFinderOptions extends PatienceOptions {
  readonly demo: Model
  /** A function is asked every time: what it returns is another object once a key has changed. */
  readonly env: ModelEnvironment | (() => ModelEnvironment)
  /** For providers whose address must be watched; the others have none. */
  readonly lookup?: (provider: Provider) => LookupFunction | undefined
  /** Further models by their full id, e.g. bridged ones and recordings. They win over everything else. */
  readonly models?: Readonly<Record<string, Model>>
  /** Tools that Anthropic runs itself, as its API defines them, for its models. */
  readonly providerTools?: readonly Readonly<Record<string, unknown>>[]
  readonly fetch?: typeof globalThis.fetch
}

/**
 * The finder throws `unknown_model`, with names that come near, or `missing_key`, with the
 * variable to set. The same id gives the same model, until a key changes.
 */
export function createModelFinder(options: ModelFinderOptions): ModelFinder {
  const { env } = options
  const read = typeof env === 'function' ? env : () => env
  const fixed = new Map<string, Model>()
  let provided: { readonly env: ModelEnvironment; readonly models: Map<string, Model> } | undefined
  return id => {
    const known = fixed.get(id)
    if (known) return known
    const keyless = findKeyless(id, options)
    if (keyless) {
      fixed.set(id, keyless)
      return keyless
    }
    const now = read()
    if (provided?.env !== now) provided = { env: now, models: new Map() }
    const model = provided.models.get(id) ?? findProvided(id, { ...options, env: now })
    provided.models.set(id, model)
    return model
  }
}

function findKeyless(id: string, { models, demo }: ModelFinderOptions): Model | undefined {
  if (models && Object.hasOwn(models, id)) return models[id]
  return id === 'demo' ? demo : undefined
}

type ProvidedOptions = ModelFinderOptions & { readonly env: ModelEnvironment }

function findProvided(id: string, options: ProvidedOptions): Model {
  const { provider, model } = split(id)
  if (model === '') throw unknown(id, options)
  if (provider === 'anthropic') return anthropic(model, options)
  if (provider === 'openai') return openai(model, options)
  throw unknown(id, options)
}

const BARE: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|chatgpt-|o\d)/, 'openai'],
]

function split(id: string): { readonly provider: string; readonly model: string } {
  const slash = id.indexOf('/')
  if (slash !== -1) return { provider: id.slice(0, slash), model: id.slice(slash + 1) }
  return { provider: BARE.find(([pattern]) => pattern.test(id))?.[1] ?? '', model: id }
}

function anthropic(model: string, options: ProvidedOptions): Model {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = options.env
  if (!apiKey) throw missing('Anthropic', 'ANTHROPIC_API_KEY', model)
  return createAnthropicModel({
    ...tuning(options),
    lookup: options.lookup?.('anthropic'),
    model,
    apiKey,
    ...(baseUrl ? { baseUrl } : {}),
    ...(options.providerTools ? { providerTools: options.providerTools } : {}),
  })
}

/** A server of one's own needs no key; OpenAI's does. */
function openai(model: string, options: ProvidedOptions): Model {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = options.env
  if (!apiKey && !baseUrl) throw missing('OpenAI', 'OPENAI_API_KEY', model)
  return createOpenAiModel({
    ...tuning(options),
    lookup: options.lookup?.('openai'),
    model,
    ...(apiKey ? { apiKey } : {}),
    ...(baseUrl ? { baseUrl } : {}),
  })
}

function tuning(options: ModelFinderOptions): PatienceOptions & { readonly fetch?: typeof globalThis.fetch } {
  const { demo: _, env: __, models: ___, providerTools: ____, lookup: _____, ...rest } = options
  return rest
}

const missing = (vendor: string, variable: string, model: string): AppError =>
  new AppError(
    'missing_key',
    `The model "${model}" needs an API key of ${vendor}: paste one in Settings, set the environment variable ${variable}, or use the model "demo", which needs none.`,
    { variable, model },
  )

function unknown(id: string, options: ModelFinderOptions): AppError {
  if (isReplayId(id))
    return new AppError(
      'unknown_model',
      'Only the configuration of the server can name a recording (--model replay:<file>).',
      { model: id, near: [] },
    )
  const listed = listedModels().flatMap(row => [row.id, `${row.provider}/${row.id}`])
  const near = nearNames(id, ['demo', ...Object.keys(options.models ?? {}), ...listed])
  const hint = near.length > 0 ? ` Did you mean ${near.map(name => `"${name}"`).join(' or ')}?` : ''
  return new AppError(
    'unknown_model',
    `No model has the id "${id}".${hint} Ids are "demo", "anthropic/<id>", "openai/<id>", or a bare claude-* or gpt-*.`,
    { model: id, near },
  )
}
