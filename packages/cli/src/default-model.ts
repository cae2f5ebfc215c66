/** The available models, by the keys that are set, and the default model of new sessions. */
import type { Effort } from '@toolwire/core'
import { type Capability, effortsOf, listedModels, type BuiltInProvider as Provider } from '@toolwire/models'

interface Keys {
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly OPENAI_API_KEY?: string | undefined
}

/** Models that servers at other addresses list, by the provider whose API they use. */
type ListedModels = Readonly<Partial<Record<Provider, readonly string[]>>>

export function defaultModel(env: Keys, told: ListedModels = {}): string {
  const pick = (provider: Provider, usual: string): string => {
    const first = told[provider]?.[0]
    return first === undefined || told[provider]?.includes(usual) ? usual : `${provider}/${first}`
  }
  if (env.ANTHROPIC_API_KEY) return pick('anthropic', 'claude-sonnet-5-5')
  if (env.OPENAI_API_KEY || told.openai?.length) return pick('openai', 'gpt-5.5')
  return 'demo'
}

/** The demo model, and for every provider with a key its listed models, else the known ones. */
export function availableModels(env: Keys, told: ListedModels = {}): readonly string[] {
  const keys: Readonly<Record<Provider, string | undefined>> = {
    anthropic: env.ANTHROPIC_API_KEY,
    openai: env.OPENAI_API_KEY,
  }
  const of = (provider: Provider): readonly string[] => {
    const own = told[provider]
    if (own) return own.map(id => `${provider}/${id}`)
    if (!keys[provider]) return []
    return listedModels()
      .filter(row => row.provider === provider)
      .map(row => row.id)
  }
  return ['demo', ...of('anthropic'), ...of('openai')]
}

/** A nominal value, so that a meter has something to show: the demo model has no limit. */
const DEMO_CONTEXT = 200_000

interface ModelFacts {
  readonly context?: number
  readonly max_output?: number
  readonly efforts?: readonly Effort[]
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cache_read?: number
    readonly cache_write?: number
  }
}

/** The capability table's facts of a model, by its id with or without provider and date. */
export function modelFacts(id: string): ModelFacts {
  if (id === 'demo') return { context: DEMO_CONTEXT, price: { input: 0, output: 0 } }
  const row = listedModel(id)
  return {
    ...(row?.context === undefined ? {} : { context: row.context }),
    ...(row?.max_output === undefined ? {} : { max_output: row.max_output }),
    ...(row === undefined ? {} : { efforts: effortsOf(row) }),
    ...(row?.price === undefined ? {} : { price: listPrice(row.price) }),
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
