/**
 * Selects the key of a provider: that of environment and configuration, else the one that was set while the server ran.
 * A fixed key goes only to the address that environment, configuration or vendor give; one that was set goes to the
 * address that was given with it, to the fixed one, or to the vendor's own.
 */
import type { ProviderApi } from '@toolwire/models'
import type { FixedProvider } from './fixed-providers.ts'
import type { StoredEntry } from './key-file.ts'

/** Keys that apply, and what belongs to them. */
export interface EffectiveProvider {
  readonly name: string
  readonly api?: ProviderApi | undefined
  readonly keys: readonly string[]
  readonly base_url?: string | undefined
  readonly source: 'environment' | 'file' | 'settings'
  /** Its address is checked at every connection. */
  readonly isWatched: boolean
}

/** Undefined when its models cannot be asked. Pure. */
export function effectiveProvider(
  fixed: FixedProvider,
  entry: StoredEntry | undefined,
): EffectiveProvider | undefined {
  const { name, api, base_url } = fixed
  const [first] = fixed.keys
  if (first)
    return {
      name,
      api,
      base_url,
      keys: fixed.keys.map(({ key }) => key),
      source: first.source,
      isWatched: false,
    }
  if (entry && isForAddress(entry, base_url))
    return {
      name,
      api: entry.api ?? api,
      keys: entry.key === undefined ? [] : [entry.key],
      base_url: base_url ?? entry.base_url,
      source: 'settings',
      isWatched: !entry.is_near,
    }
  const isComplete = base_url !== undefined || api === 'ai-sdk'
  return fixed.isKeyOptional && isComplete
    ? { name, api, base_url, keys: [], source: 'environment', isWatched: false }
    : undefined
}

/** A key that was meant for one address is not sent to another. */
const isForAddress = (entry: StoredEntry, base: string | undefined): boolean =>
  base === undefined || entry.base_url === undefined
