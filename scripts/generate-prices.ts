/**
 * Refreshes the copy of the price list: `npm run generate:prices` after an update of `@pydantic/genai-prices`. It prints each
 * price that changed, for review. The server itself never asks for prices.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices'
import { ROOT } from './root.ts'

/** Providers of the list, with the hosts of their APIs. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['api.anthropic.com'],
  azure: ['openai.azure.com', 'services.ai.azure.com', 'cognitiveservices.azure.com'],
  cerebras: ['api.cerebras.ai'],
  deepseek: ['api.deepseek.com'],
  fireworks: ['api.fireworks.ai'],
  google: ['generativelanguage.googleapis.com', 'aiplatform.googleapis.com'],
  groq: ['api.groq.com'],
  minimax: ['api.minimax.io', 'api.minimaxi.com'],
  mistral: ['api.mistral.ai'],
  moonshotai: ['api.moonshot.ai', 'api.moonshot.cn'],
  openai: ['api.openai.com'],
  openrouter: ['openrouter.ai'],
  together: ['api.together.xyz'],
  'x-ai': ['api.x.ai'],
  zai: ['api.z.ai'],
}

const FILE = join(ROOT, 'packages/models/src/providers/price-catalog.json')
const DATE = new Date().toISOString().slice(0, 10)

/** US dollars per million tokens, as the models read them. */
type CatalogPrice = Readonly<Record<string, number | Readonly<Record<string, number>>>>
type CatalogRows = Readonly<
  Record<
    string,
    { readonly hosts: readonly string[]; readonly models: Readonly<Record<string, CatalogPrice>> }
  >
>

const FIELDS = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cache_read',
  cache_write_mtok: 'cache_write',
} as const

/** The prices that apply on this day; undefined where they depend on the hour. */
function currentPrices({ prices }: ModelInfo): ModelPrice | undefined {
  if (!Array.isArray(prices)) return prices
  if (prices.some(row => row.constraint && row.constraint.type !== 'start_date')) return undefined
  const active = prices.filter(
    row => row.constraint?.type !== 'start_date' || row.constraint.start_date <= DATE,
  )
  return active.at(-1)?.prices
}

/** Undefined for a price that cannot be written in our fields: it would be wrong, not only incomplete. */
function toPrice(prices: ModelPrice | undefined): CatalogPrice | undefined {
  if (!prices || prices['requests_kcount'] !== undefined) return undefined
  const base: Record<string, number> = {}
  const above: Record<string, number> = {}
  const starts = new Set<number>()
  for (const [theirs, ours] of Object.entries(FIELDS)) {
    const price = prices[theirs]
    if (price === undefined) continue
    if (typeof price === 'number') {
      base[ours] = price
      above[ours] = price
      continue
    }
    const [tier, more] = price.tiers
    if (!tier || more) return undefined
    starts.add(tier.start)
    base[ours] = price.base
    above[ours] = tier.price
  }
  if (base['input'] === undefined || base['output'] === undefined || starts.size > 1) return undefined
  const [prompt_tokens] = starts
  return prompt_tokens === undefined ? base : { ...base, above: { prompt_tokens, ...above } }
}

/** The id itself and names that mean exactly this model; patterns would also match models to come. */
function namesOf({ id, match }: ModelInfo): readonly string[] {
  const clauses = 'or' in match ? match.or : [match]
  return [id, ...clauses.flatMap(clause => ('equals' in clause ? [clause.equals] : []))]
}

function toRows(): CatalogRows {
  return Object.fromEntries(
    Object.entries(HOSTS).map(([providerId, hosts]) => {
      const provider = findProvider({ providerId })
      if (!provider) throw new Error(`The list has no provider ${providerId}.`)
      const models = provider.models.flatMap(model => {
        const price = toPrice(currentPrices(model))
        return price ? namesOf(model).map(name => [name, price] as const) : []
      })
      return [
        providerId,
        { hosts, models: Object.fromEntries(models.toSorted(([a], [b]) => (a < b ? -1 : 1))) },
      ]
    }),
  )
}

const version = JSON.parse(
  readFileSync(join(ROOT, 'node_modules/@pydantic/genai-prices/package.json'), 'utf8'),
).version
const before = JSON.parse(readFileSync(FILE, 'utf8')).providers as CatalogRows
const providers = toRows()
for (const [name, { models }] of Object.entries(providers))
  for (const [id, price] of Object.entries(models)) {
    const old = JSON.stringify(before[name]?.models[id])
    if (old !== JSON.stringify(price))
      console.log(`${name}/${id}: ${old ?? 'new'} → ${JSON.stringify(price)}`)
  }
const source = `@pydantic/genai-prices ${version} (MIT)`
writeFileSync(
  FILE,
  `${JSON.stringify({ source, date: DATE, unit: 'US dollars per million tokens', providers }, null, 2)}\n`,
)
