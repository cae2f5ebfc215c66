/** The providers of configuration, environment and Settings with their keys, as they are now. */
import { AppError } from '@toolwire/core'
import {
  type AiSdkLanguageModel,
  createKeyPool,
  type KeyPool,
  missingKey,
  type ProviderEntry,
} from '@toolwire/models'
import { publicLookup } from './check-address.ts'
import { type EffectiveProvider, effectiveProvider } from './effective-provider.ts'
import { type FixedProvider, type FixedProviders, readFixedProviders } from './fixed-providers.ts'
import { readKeyFile, type StoredEntry, type StoredKeys, writeKeyFile } from './key-file.ts'
import type { ProviderSettings } from './provider-settings.ts'

export type ModelMaker = (model: string) => AiSdkLanguageModel

export interface ProviderBookOptions {
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  /** Functions of the modules of `ai-sdk` providers, by provider. */
  readonly makers?: ReadonlyMap<string, ModelMaker>
}

export interface ProviderBook {
  readonly all: () => FixedProviders
  /** Undefined when its models cannot be asked. */
  readonly effective: (name: string) => EffectiveProvider | undefined
  readonly stored: (name: string) => StoredEntry | undefined
  readonly pool: (name: string) => KeyPool | undefined
  /** All providers, also those that lack a key. The same list until something changes. */
  readonly entries: () => readonly ProviderEntry[]
  /** Makes the list again, for facts that came from elsewhere. */
  readonly refresh: () => void
  /** Changes what Settings hold. Throws `storage_error`, and then nothing has changed. */
  readonly change: (edit: (keys: StoredKeys) => StoredKeys) => Promise<void>
}

/** Throws ExitError when a file with keys cannot be used. */
export function openProviderBook({ data, env, providers, makers }: ProviderBookOptions): ProviderBook {
  const configured = readFixedProviders(env, providers)
  let stored = readKeyFile(data)
  const pools = createPools()
  const all = (): FixedProviders => allProviders(configured, stored)
  const effective = (name: string): EffectiveProvider | undefined => {
    const fixed = all().get(name)
    return fixed && effectiveProvider(fixed, stored[name])
  }
  const toEntries = (): readonly ProviderEntry[] =>
    [...all().values()].map(fixed =>
      toEntry(fixed, effective(fixed.name), { pools, makeModel: makers?.get(fixed.name) }),
    )
  let current = toEntries()
  let writing: Promise<void> = Promise.resolve()
  return {
    all,
    effective,
    stored: name => stored[name],
    pool: pools.stateOf,
    entries: () => current,
    refresh() {
      current = toEntries()
    },
    /** One change after the other; what could not be written does not apply either. */
    change(edit) {
      const done = writing.then(async () => {
        const next = edit(stored)
        await writeKeyFile(data, next).catch(error => {
          throw new AppError('storage_error', `The key cannot be stored (${codeOf(error)}).`)
        })
        stored = next
        current = toEntries()
      })
      writing = done.catch(() => undefined)
      return done
    },
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'

/** With the providers that exist in Settings alone. */
function allProviders(configured: FixedProviders, stored: StoredKeys): FixedProviders {
  const added = Object.entries(stored).filter(([name]) => !configured.has(name))
  if (added.length === 0) return configured
  return new Map([
    ...configured,
    ...added.map(([name, entry]) => [name, settingsProvider(name, entry.api)] as const),
  ])
}

/** Its address comes from Settings, so no key of the environment goes there. */
export const settingsProvider = (name: string, api: FixedProvider['api']): FixedProvider => ({
  name,
  label: name,
  api,
  keys: [],
  variable: '',
  isKeyOptional: true,
  settings: {},
  secrets: [],
})

interface EntryParts {
  readonly pools: ReturnType<typeof createPools>
  readonly makeModel: ModelMaker | undefined
}

function toEntry(
  fixed: FixedProvider,
  found: EffectiveProvider | undefined,
  { pools, makeModel }: EntryParts,
): ProviderEntry {
  const { name, label, settings, headers, query, secrets, variable } = fixed
  const { auth, models, prices, retries, silenceMs, fallbacks, weight } = settings
  return {
    name,
    api: found?.api ?? fixed.api,
    keys: pools.get(name, found?.keys ?? []),
    baseUrl: found?.base_url,
    ...(found ? {} : { missing: missingKey(label, variable) }),
    ...{ auth, headers, query, secrets, prices, retries, silenceMs, fallbacks, weight, makeModel },
    ...(typeof models === 'object' ? { models } : {}),
    lookup: found?.isWatched ? publicLookup : undefined,
  }
}

/** Pools outlive changes of other providers: a key that cools down continues to. */
function createPools() {
  const pools = new Map<string, KeyPool>()
  return {
    get(name: string, keys: readonly string[]): KeyPool {
      const pool = pools.get(name)
      if (pool && pool.keys.length === keys.length && keys.every((key, n) => key === pool.keys[n]))
        return pool
      const made = createKeyPool(keys)
      pools.set(name, made)
      return made
    },
    stateOf: (name: string): KeyPool | undefined => pools.get(name),
  }
}
