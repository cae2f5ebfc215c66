/** What tokens cost at a known price. */
import type { Usage } from '@toolwire/core'

/** US dollars per million tokens. Cache prices fall back to the input price when unknown. */
interface Rates {
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  readonly cache_write?: number
  /** Price of an hour-long cache entry; twice the input price if unknown, as its vendor charges. */
  readonly cache_write_1h?: number
  /** Price of a cache entry of twelve hours; that of any other entry if unknown. */
  readonly cache_write_12h?: number
}

export interface Price extends Rates {
  /** Rates for all tokens of a request whose prompt is longer than `prompt_tokens`. */
  readonly above?: Rates & { readonly prompt_tokens: number }
  /** Prices of the service tiers that are not the standard one. */
  readonly tiers?: Readonly<Record<string, Price>>
}

/** The cost of one request; undefined when the price is unknown. Reasoning is part of the output already. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (!price) return undefined
  const prompt = usage.input + usage.cache_read + usage.cache_write
  const rates: Rates = price.above && prompt > price.above.prompt_tokens ? price.above : price
  const hour = Math.min(usage.cache_write_1h ?? 0, usage.cache_write)
  const halfDay = Math.min(usage.cache_write_12h ?? 0, usage.cache_write - hour)
  const written = rates.cache_write ?? rates.input
  const total =
    usage.input * rates.input +
    usage.output * rates.output +
    usage.cache_read * (rates.cache_read ?? rates.input) +
    (usage.cache_write - hour - halfDay) * written +
    hour * (rates.cache_write_1h ?? rates.input * 2) +
    halfDay * (rates.cache_write_12h ?? written)
  return total / 1_000_000
}

/** The usage as a field of a part; absent if the provider reported none, because nothing is free. */
export const reportedUsage = (usage: Usage): { readonly usage?: Usage } =>
  usage.input + usage.output + usage.cache_read + usage.cache_write > 0 ? { usage } : {}

/** The cost as a field of a part; no field when the usage or its price is unknown. */
export function toCost(usage: Usage | undefined, price: Price | undefined): { readonly cost_usd?: number } {
  const cost_usd = usage && reportedUsage(usage).usage && costOf(usage, price)
  return cost_usd === undefined ? {} : { cost_usd }
}
