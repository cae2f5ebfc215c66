/**
 * Prices of many providers from one maintained list, as a copy of its last release that `npm run generate:prices` refreshes.
 * A price applies only where host and model id match exactly.
 */
import type { Price } from '../shared/usage.ts'
import catalog from './price-catalog.json' with { type: 'json' }

interface CatalogProvider {
  /** Hosts of its API. */
  readonly hosts: readonly string[]
  readonly models: Readonly<Record<string, Price>>
}

const PROVIDERS = catalog.providers as Readonly<Record<string, CatalogProvider>>

/** Release of the list and the day of its copy. */
export const PRICE_CATALOG: { readonly source: string; readonly date: string } = catalog

/** Undefined for a host or a model that the list does not have. Pure. */
export function catalogPrice(host: string, id: string): Price | undefined {
  const found = Object.values(PROVIDERS).find(({ hosts }) =>
    hosts.some(one => host === one || host.endsWith(`.${one}`)),
  )
  const plain = id.replace(/^models\//, '')
  return found && Object.hasOwn(found.models, plain) ? found.models[plain] : undefined
}
