/**
 * From a model's id to the model. Ids: `demo`, `<provider>/<model>`, a bare `claude-*`, `gpt-*` or `o<digit>*`, aliases and
 * whatever the configuration adds. Clients choose ids, so none of them names a file. Any model id goes to its provider.
 */
import { AppError, type Model, type ModelFinder } from '@toolwire/core'
import { listedModels } from './capabilities.ts'
import { nearNames } from './near-names.ts'
import { createProviderModel } from './providers/create-model.ts'
import { environmentProviders, type ModelEnvironment } from './providers/environment-providers.ts'
import type { DiscoveredFacts } from './providers/know-model.ts'
import type { ProviderEntry } from './providers/provider-entry.ts'
import { isReplayId } from './replay-id.ts'
import { type Circuit, createCircuit } from './shared/circuit.ts'
import type { PatienceOptions } from './shared/retry-policy.ts'
import type { Price } from './shared/usage.ts'

export interface ModelFinderOptions extends PatienceOptions {
  readonly demo: Model
  /** Keys of the built-in providers, where `providers` is absent. A function is asked every time. */
  readonly env?: ModelEnvironment | (() => ModelEnvironment)
  /** Asked every time: returns another list once something has changed. */
  readonly providers?: () => readonly ProviderEntry[]
  /** Facts that providers reported of their models. */
  readonly discovered?: (provider: string, model: string) => DiscoveredFacts | undefined
  /** The operator's price of models without one. */
  readonly assumedPrice?: Price | undefined
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
  const read = options.providers ?? fromEnvironment(options.env ?? {})
  const fixed = new Map<string, Model>()
  const circuits = new Map<string, Circuit>()
  let current:
    | { readonly providers: readonly ProviderEntry[]; readonly models: Map<string, Model> }
    | undefined
  return id => {
    const known = fixed.get(id)
    if (known) return known
    const keyless = findKeyless(id, options)
    if (keyless) {
      fixed.set(id, keyless)
      return keyless
    }
    const providers = read()
    if (current?.providers !== providers) current = { providers, models: new Map() }
    const model = current.models.get(id) ?? findProvided(id, { providers, circuits }, options)
    current.models.set(id, model)
    return model
  }
}

/** The same list until the environment is another object. */
function fromEnvironment(env: ModelEnvironment | (() => ModelEnvironment)): () => readonly ProviderEntry[] {
  const read = typeof env === 'function' ? env : () => env
  let current: { readonly env: ModelEnvironment; readonly list: readonly ProviderEntry[] } | undefined
  return () => {
    const now = read()
    if (current?.env !== now) current = { env: now, list: environmentProviders(now) }
    return current.list
  }
}

function findKeyless(id: string, { models, demo }: ModelFinderOptions): Model | undefined {
  if (models && Object.hasOwn(models, id)) return models[id]
  return id === 'demo' ? demo : undefined
}

interface Providers {
  readonly providers: readonly ProviderEntry[]
  /** By name and address. */
  readonly circuits: Map<string, Circuit>
}

function findProvided(id: string, { providers, circuits }: Providers, options: ModelFinderOptions): Model {
  const { provider, model } = splitModelId(id)
  const entry = providers.find(one => one.name === provider)
  if (!entry || model === '') throw unknown(id, providers, options)
  const { missing } = entry
  if (missing)
    throw new AppError('missing_key', `The model "${model}" ${missing.message}`, {
      variable: missing.variable,
      model,
    })
  const { demo: _, env: __, models: ___, providers: ____, discovered, ...tuning } = options
  const at = `${entry.name} ${entry.baseUrl ?? ''}`
  const circuit = circuits.get(at) ?? createCircuit()
  circuits.set(at, circuit)
  return createProviderModel(entry, model, { ...tuning, circuit, discovered: discovered?.(provider, model) })
}

const BARE: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|chatgpt-|o\d)/, 'openai'],
]

/** Only the first slash counts: ids of models may hold slashes and colons. Pure. */
export function splitModelId(id: string): { readonly provider: string; readonly model: string } {
  const slash = id.indexOf('/')
  if (slash !== -1) return { provider: id.slice(0, slash), model: id.slice(slash + 1) }
  return { provider: BARE.find(([pattern]) => pattern.test(id))?.[1] ?? '', model: id }
}

function unknown(id: string, providers: readonly ProviderEntry[], options: ModelFinderOptions): AppError {
  if (isReplayId(id))
    return new AppError(
      'unknown_model',
      'Only the configuration of the server can name a recording (--model replay:<file>).',
      { model: id, near: [] },
    )
  const names = providers.map(({ name }) => name)
  const listed = listedModels().flatMap(row => [row.id, `${row.provider}/${row.id}`])
  const own = providers.flatMap(({ name, models = {} }) =>
    Object.keys(models).map(model => `${name}/${model}`),
  )
  const near = nearNames(id, ['demo', ...Object.keys(options.models ?? {}), ...own, ...listed])
  const hint = near.length > 0 ? ` Did you mean ${near.map(name => `"${name}"`).join(' or ')}?` : ''
  const forms = names.map(name => `"${name}/<id>"`).join(', ')
  return new AppError(
    'unknown_model',
    `No model has the id "${id}".${hint} Ids are "demo", ${forms}, or a bare claude-* or gpt-*.`,
    { model: id, near },
  )
}
