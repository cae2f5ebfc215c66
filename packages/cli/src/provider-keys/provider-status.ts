/** The state of a provider as its routes show it: never a key. Pure. */
import type { KeyPool } from '@toolwire/models'
import type { ProviderStatus, ProviderTest } from '@toolwire/server'
import type { EffectiveProvider } from './effective-provider.ts'
import type { FixedProvider } from './fixed-providers.ts'
import type { StoredEntry } from './key-file.ts'
import type { ModelListing } from './model-cache.ts'

interface ProviderRecords {
  readonly entry?: StoredEntry | undefined
  readonly keys?: KeyPool | undefined
  readonly listing?: ModelListing | undefined
  readonly error?: ProviderTest | undefined
}

export function statusOf(
  { name, label, api, variable }: FixedProvider,
  found: EffectiveProvider | undefined,
  { entry, keys, listing, error }: ProviderRecords = {},
): ProviderStatus {
  const [first] = found?.keys ?? []
  const usedApi = found?.api ?? api
  const address = safeAddress(found?.base_url)
  return {
    provider: name,
    name: label,
    variable,
    set: found !== undefined,
    stored: entry !== undefined,
    ...(usedApi === undefined ? {} : { api: usedApi }),
    ...(address === undefined ? {} : { address }),
    ...(found ? { source: found.source } : {}),
    ...(first === undefined ? {} : endOf(first)),
    ...(entry?.base_url === undefined ? {} : { base_url: entry.base_url }),
    ...(keys && keys.keys.length > 1 ? { keys: keysOf(keys) } : {}),
    ...(listing ? { models: { count: listing.models.length, at: listing.at } } : {}),
    ...(error?.ok === false ? { last_error: error.error } : {}),
  }
}

/** The end of a short key would be most of it. */
const LEAST_LENGTH = 16

const endOf = (key: string): { readonly last4?: string } =>
  key.length >= LEAST_LENGTH ? { last4: key.slice(-4) } : {}

const keysOf = ({ keys, states }: KeyPool): NonNullable<ProviderStatus['keys']> =>
  states().map(({ failures, coolingMs }, n) => ({
    ...endOf(keys[n] ?? ''),
    failures,
    cooling_ms: coolingMs,
  }))

/** An address of the environment may hold a password. */
function safeAddress(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text)
  return url === null ? undefined : `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
