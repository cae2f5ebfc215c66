/** The available models, by the keys that are set, and the default model of new sessions. */
import type { Effort } from '@toolwire/core'
import {
  type Capability,
  type DiscoveredFacts,
  effortsOf,
  knowModel,
  listedModels,
  type Price,
  type PriceSource,
  type ProviderEntry,
  splitModelId,
} from '@toolwire/models'

/** The providers with the models that they listed. */
export interface ProviderModels {
  readonly entries: () => readonly ProviderEntry[]
  readonly listed: (name: string) => readonly string[] | undefined
  readonly discovered: (name: string, model: string) => DiscoveredFacts | undefined
  /** The operator's price of models without one. */
  readonly assumedPrice?: Price | undefined
}

const USUAL: Readonly<Record<string, string>> = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.5' }

/** Of the first provider that can be asked, in this order: Anthropic, OpenAI, the others. */
export function defaultModel(providers: ProviderModels): string {
  const usable = providers.entries().filter(entry => !entry.missing)
  for (const entry of usable) {
    const { name, keys } = entry
    const ids = modelsOf(entry, providers)
    const [first] = ids
    const usual = USUAL[name]
    // An address alone is not enough for a vendor's model: its server may not have it.
    if (usual !== undefined && (ids.includes(usual) || (first === undefined && keys.keys.length > 0)))
      return usual
    if (first !== undefined && (usual === undefined || keys.keys.length > 0 || providers.listed(name)))
      return first
  }
  return 'demo'
}

/** The demo model, and of every provider that can be asked the models that it listed, else the known ones. */
export function availableModels(providers: ProviderModels): readonly string[] {
  const usable = providers.entries().filter(entry => !entry.missing)
  return ['demo', ...new Set(usable.flatMap(entry => modelsOf(entry, providers)))]
}

function modelsOf({ name, models, keys }: ProviderEntry, { listed }: ProviderModels): readonly string[] {
  const own = [...Object.keys(models ?? {}), ...(listed(name) ?? [])]
  if (own.length > 0 || listed(name)) return own.map(id => `${name}/${id}`)
  if (keys.keys.length === 0) return []
  return listedModels()
    .filter(row => row.provider === name)
    .map(row => row.id)
}

/** A nominal value, so that a meter has something to show: the demo model has no limit. */
const DEMO_CONTEXT = 200_000

interface ModelFacts {
  readonly context?: number
  readonly max_output?: number
  readonly efforts?: readonly Effort[]
  /** Its provider searches the web for it. */
  readonly web_search?: boolean
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cache_read?: number
    readonly cache_write?: number
  }
  /** Source of the price. */
  readonly price_source?: PriceSource
}

/** Facts about a model, by its id with or without provider and date. */
export function modelFacts(id: string, providers: ProviderModels): ModelFacts {
  if (id === 'demo') return { context: DEMO_CONTEXT, price: { input: 0, output: 0 } }
  const { provider, model } = splitModelId(id)
  const entry = providers.entries().find(({ name }) => name === provider)
  if (!entry) return {}
  const { capability, context, price, priceSource, webSearch } = knowModel(
    entry,
    model,
    providers.discovered(provider, model),
    providers.assumedPrice,
  )
  return {
    ...(context === undefined ? {} : { context }),
    ...(capability?.max_output === undefined ? {} : { max_output: capability.max_output }),
    ...(capability === undefined ? {} : { efforts: effortsOf(capability) }),
    ...(webSearch === true ? { web_search: true } : {}),
    ...(price === undefined ? {} : { price: listPrice(price) }),
    ...(priceSource === undefined ? {} : { price_source: priceSource }),
  }
}

function listedModel(id: string): Capability | undefined {
  const undated = id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  return listedModels().find(known =>
    [known.id, `${known.provider}/${known.id}`].some(name => name === id || name === undated),
  )
}

/** True for models that can think by themselves. False for those of which nothing is known. */
export const canThink = (id: string): boolean => effortsOf(listedModel(id)).length > 0

/** The price of prompts of the usual length; what holds for longer ones is left to the bill. */
const listPrice = ({ input, output, cache_read, cache_write }: NonNullable<ModelFacts['price']>) => ({
  input,
  output,
  ...(cache_read === undefined ? {} : { cache_read }),
  ...(cache_write === undefined ? {} : { cache_write }),
})
