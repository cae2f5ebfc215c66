/**
 * Selects the effective key of a provider: the environment's, else the one set at run time. An environment key is
 * sent only to the environment's address; a key set at run time goes to the address given with it, the
 * environment's, or the vendor's.
 */
import type { ModelEnvironment, BuiltInProvider as Provider } from '@toolwire/models'
import type { readEnvironmentKeys } from './environment-keys.ts'
import type { StoredEntry, StoredKeys } from './key-file.ts'
import { PROVIDER_IDS, PROVIDERS } from './providers.ts'

/** A key that counts, and what belongs to it. */
export interface EffectiveKey {
  readonly key?: string | undefined
  readonly base_url?: string | undefined
  readonly source: 'environment' | 'file' | 'settings'
  /** Its address is checked at every connection. */
  readonly isWatched: boolean
}

export type FixedKeys = ReturnType<typeof readEnvironmentKeys>

/** Undefined when its models cannot be asked. Pure. */
export function effectiveKey(
  provider: Provider,
  fixed: FixedKeys,
  stored: StoredKeys,
): EffectiveKey | undefined {
  const given = fixed[provider]
  if (given?.key !== undefined) return { ...given, isWatched: false }
  const entry = stored[provider]
  if (entry && counts(entry, given?.base_url))
    return {
      key: entry.key,
      base_url: given?.base_url ?? entry.base_url,
      source: 'settings',
      isWatched: !entry.is_near,
    }
  return given && PROVIDERS[provider].isKeyOptional ? { ...given, isWatched: false } : undefined
}

/** A key that was meant for one address is not sent to another. */
const counts = (entry: StoredEntry, base: string | undefined): boolean =>
  base === undefined || entry.base_url === undefined

/** The keys that count, as the models of the providers read them. Pure. */
export function toEnvironment(fixed: FixedKeys, stored: StoredKeys): ModelEnvironment {
  const pairs = PROVIDER_IDS.flatMap(provider => {
    const found = effectiveKey(provider, fixed, stored)
    const { key, base } = PROVIDERS[provider]
    return [
      [key, found?.key],
      [base, found?.base_url],
    ] as const
  })
  return Object.fromEntries(pairs)
}
