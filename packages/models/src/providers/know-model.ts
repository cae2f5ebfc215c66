/** Knowledge of a model at a named provider: the user's settings, then the table, then the price catalog. Pure. */
import { type Capability, findCapability } from '../capabilities.ts'
import { chooseApi } from '../openai-responses/choose-api.ts'
import type { ModelKnowledge } from '../shared/model-knowledge.ts'
import { isOfficialHost } from '../shared/official-host.ts'
import type { Price } from '../shared/usage.ts'
import { catalogPrice } from './price-catalog.ts'
import { type ModelSettings, type ProviderEntry, settingsOf } from './provider-entry.ts'

export type PriceSource = 'user' | 'table' | 'catalog' | 'provider' | 'assumed'

export interface ProviderModelKnowledge extends ModelKnowledge {
  readonly capability?: Capability | undefined
  readonly priceSource?: PriceSource | undefined
}

/** Facts that the provider reported itself; they only fill gaps. */
export interface DiscoveredFacts {
  readonly context?: number | undefined
  readonly max_output?: number | undefined
  readonly price?: Price | undefined
}

export function knowModel(
  entry: Pick<ProviderEntry, 'name' | 'api' | 'baseUrl' | 'models' | 'prices'>,
  id: string,
  discovered: DiscoveredFacts = {},
  assumedPrice?: Price,
): ProviderModelKnowledge {
  const settings = settingsOf(entry.models, id) ?? {}
  const isTable = isListedService(entry)
  const row = findCapability(entry.api === 'anthropic' ? 'anthropic' : 'openai', settings.upstream ?? id)
  // A window and a price belong to their vendor; another server with a model of that name sets its own.
  const own = isTable || settings.upstream !== undefined ? row : undefined
  const context = settings.context ?? own?.context ?? discovered.context
  return {
    capability: toCapability(row, settings, discovered),
    ...(context === undefined ? {} : { context }),
    ...(searches(entry, settings, id) ? { webSearch: true } : {}),
    ...priceOf(entry, id, {
      listed: isTable ? row?.price : undefined,
      discovered: discovered.price,
      upstream: settings.upstream ?? id,
      assumed: assumedPrice,
    }),
  }
}

/** Without a setting: Claude over the Messages API, and OpenAI's own models over the Responses API. */
function searches(
  { api, baseUrl }: Pick<ProviderEntry, 'api' | 'baseUrl'>,
  settings: ModelSettings,
  id: string,
): boolean {
  if (settings.web_search !== undefined) return settings.web_search === 'provider'
  const model = settings.upstream ?? id
  if (api === 'anthropic') return model.startsWith('claude-')
  const isOfficial = isOfficialHost(baseUrl)
  return (
    api !== 'ai-sdk' && isOfficial && (settings.api ?? api ?? chooseApi(model, true)) === 'openai-responses'
  )
}

interface PriceCandidates {
  readonly listed: Price | undefined
  readonly discovered: Price | undefined
  /** The operator's price of models without one. */
  readonly assumed: Price | undefined
  /** The vendor's name of the model. */
  readonly upstream: string
}

function priceOf(
  entry: Pick<ProviderEntry, 'prices' | 'baseUrl' | 'api'>,
  id: string,
  { listed, discovered, upstream, assumed }: PriceCandidates,
): Pick<ProviderModelKnowledge, 'price' | 'priceSource'> {
  const own = settingsOf(entry.prices, id)
  if (own) return { price: own, priceSource: 'user' }
  if (listed) return { price: listed, priceSource: 'table' }
  if (discovered) return { price: discovered, priceSource: 'provider' }
  const found = catalogPrice(hostOf(entry), upstream)
  if (found) return { price: found, priceSource: 'catalog' }
  return assumed ? { price: assumed, priceSource: 'assumed' } : {}
}

/** Empty where the address is the module's business. */
function hostOf({ api, baseUrl }: Pick<ProviderEntry, 'api' | 'baseUrl'>): string {
  if (baseUrl !== undefined) return URL.parse(baseUrl)?.hostname ?? ''
  if (api === 'ai-sdk') return ''
  return api === 'anthropic' ? 'api.anthropic.com' : 'api.openai.com'
}

function toCapability(
  row: Capability | undefined,
  settings: ModelSettings,
  discovered: DiscoveredFacts,
): Capability | undefined {
  const { max_output = row?.max_output ?? discovered.max_output, effort, strict } = settings
  const overrides = {
    ...(max_output === undefined ? {} : { max_output }),
    ...(effort === undefined ? {} : effort ? { effort } : { effort, thinking: 'none' as const }),
    ...(strict === undefined ? {} : { strict }),
  }
  if (Object.keys(overrides).length === 0) return row
  return { provider: '', id: '', ...row, ...overrides }
}

/** True when the capability table is about this very service. */
function isListedService({ name, api, baseUrl }: Pick<ProviderEntry, 'name' | 'api' | 'baseUrl'>): boolean {
  // The table has always applied to the built-in provider, at any address.
  if (api === 'anthropic')
    return name === 'anthropic' || URL.parse(baseUrl ?? '')?.hostname === 'api.anthropic.com'
  return api !== 'ai-sdk' && isOfficialHost(baseUrl)
}
