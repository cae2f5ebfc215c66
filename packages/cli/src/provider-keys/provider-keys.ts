/**
 * Keys of model providers at run time: listed, set, removed and tested. A change applies from the next provider
 * request; running streams keep their key.
 */
import type { LookupFunction } from 'node:net'
import { AppError } from '@toolwire/core'
import {
  type ModelEnvironment,
  type BuiltInProvider as Provider,
  type ProviderAnswer,
  probeProvider,
} from '@toolwire/models'
import type { ProviderEntry, ProviderPort, ProviderStatus, ProviderTest, PutOptions } from '@toolwire/server'
import { checkAddress, publicLookup } from './check-address.ts'
import { type EffectiveKey, effectiveKey, type FixedKeys, toEnvironment } from './effective-key.ts'
import { readEnvironmentKeys } from './environment-keys.ts'
import { readKeyFile, type StoredKeys, tidyKeyFile, writeKeyFile } from './key-file.ts'
import { PROVIDER_IDS, PROVIDERS } from './providers.ts'

export interface ProviderKeys {
  /** The same object until a key changes. */
  readonly env: () => ModelEnvironment
  /** For the address of a provider that must be watched. */
  readonly lookup: (provider: Provider) => LookupFunction | undefined
  /** Models that the server at another address lists, by provider; absent before a query. */
  readonly told: () => Readonly<Partial<Record<Provider, readonly string[]>>>
  readonly port: ProviderPort
}

export interface ProviderKeysOptions {
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Local network hosts that may be given as an address by callers who may set keys. */
  readonly hosts: readonly string[]
}

const TEST_MS = 15_000

/** Throws ExitError when a file with keys cannot be used. */
export function openProviderKeys({ data, env, hosts }: ProviderKeysOptions): ProviderKeys {
  const fixed = readEnvironmentKeys(env)
  let stored = readKeyFile(data)
  tidyKeyFile(data)
  let current = toEnvironment(fixed, stored)
  let writing: Promise<void> = Promise.resolve()

  /** One change after the other; what could not be written does not count either. */
  function change(edit: (keys: StoredKeys) => StoredKeys): Promise<void> {
    const done = writing.then(async () => {
      const next = edit(stored)
      await writeKeyFile(data, next).catch(error => {
        throw new AppError('storage_error', `The key cannot be stored (${codeOf(error)}).`)
      })
      stored = next
      current = toEnvironment(fixed, stored)
    })
    writing = done.catch(() => undefined)
    return done
  }
  const effective = (provider: Provider): EffectiveKey | undefined => effectiveKey(provider, fixed, stored)
  const status = (provider: Provider): ProviderStatus => statusOf(provider, effective(provider), stored)

  /** Returns the result of the test, if one was wanted. A test that failed stores nothing. */
  async function put(
    provider: Provider,
    entry: ProviderEntry,
    { isLocal, isTested }: PutOptions,
  ): Promise<ProviderTest | undefined> {
    checkEntry(provider, entry, fixed)
    const near =
      entry.base_url === undefined
        ? { is_near: true }
        : await checkAddress(entry.base_url, { isLocal, hosts })
    const candidate = { ...entry, base_url: fixed[provider]?.base_url ?? entry.base_url }
    const answer = isTested ? await ask(provider, { ...candidate, isWatched: !near.is_near }) : undefined
    if (answer?.ok === false) return toTest(answer)
    // Another vendor's server has its own models.
    const models = entry.base_url !== undefined && answer ? { models: [...answer.models] } : {}
    await change(keys => ({ ...keys, [provider]: { ...entry, ...near, ...models } }))
    return answer && toTest(answer)
  }

  async function test(provider: Provider): Promise<ProviderTest> {
    const { name, key: variable } = PROVIDERS[provider]
    const asked = effective(provider)
    if (!asked) throw new AppError('missing_key', `There is no key of ${name} to test.`, { variable })
    const answer = await ask(provider, asked)
    const entry = stored[provider]
    // The key may have changed during the test.
    if (answer.ok && entry?.base_url !== undefined && entry.base_url === asked.base_url)
      await change(keys =>
        keys[provider] === entry ? { ...keys, [provider]: { ...entry, models: [...answer.models] } } : keys,
      )
    return toTest(answer)
  }

  const lookup = (provider: Provider): LookupFunction | undefined =>
    effective(provider)?.isWatched ? publicLookup : undefined
  return {
    env: () => current,
    lookup,
    told: () =>
      Object.fromEntries(
        PROVIDER_IDS.filter(provider => effective(provider)?.source === 'settings').map(provider => [
          provider,
          stored[provider]?.models,
        ]),
      ),
    port: {
      list: () => PROVIDER_IDS.map(status),
      put: async (provider, entry, options) =>
        await whenKnown(provider, async known => {
          const test = await put(known, entry, options)
          return { ...status(known), ...(test ? { test } : {}) }
        }),
      remove: async provider =>
        await whenKnown(provider, async known => {
          if (stored[known]) await change(({ [known]: _, ...rest }) => rest)
          return status(known)
        }),
      test: async provider => await whenKnown(provider, test),
    },
  }
}

/** Throws `bad_request` for an entry that the server could not use. */
function checkEntry(provider: Provider, entry: ProviderEntry, fixed: FixedKeys): void {
  const { isKeyOptional, base } = PROVIDERS[provider]
  if (entry.key === undefined && !isKeyOptional) throw new AppError('bad_request', 'key: is needed')
  if (entry.base_url !== undefined && fixed[provider]?.base_url !== undefined)
    throw new AppError('bad_request', `base_url: the variable ${base} names the address`)
}

const ask = (
  provider: Provider,
  { key, base_url, isWatched }: Omit<EffectiveKey, 'source'>,
): Promise<ProviderAnswer> =>
  probeProvider(
    { provider, apiKey: key, baseUrl: base_url, lookup: isWatched ? publicLookup : undefined },
    AbortSignal.timeout(TEST_MS),
  )

function toTest(answer: ProviderAnswer): ProviderTest {
  if (answer.ok) return { ok: true, models: answer.models.length }
  const { code, message, retryable, http_status } = answer.error
  return { ok: false, error: { code, message, retryable, ...(http_status ? { http_status } : {}) } }
}

async function whenKnown<T>(name: string, work: (provider: Provider) => Promise<T>): Promise<T | undefined> {
  const provider = PROVIDER_IDS.find(id => id === name)
  return provider && (await work(provider))
}

/** Nothing of a short key is shown: its end would be most of it. */
const TELLING = 16

function statusOf(provider: Provider, found: EffectiveKey | undefined, stored: StoredKeys): ProviderStatus {
  const { name, key: variable } = PROVIDERS[provider]
  const entry = stored[provider]
  return {
    provider,
    name,
    variable,
    set: found !== undefined,
    stored: entry !== undefined,
    ...(found ? { source: found.source } : {}),
    ...(found?.key !== undefined && found.key.length >= TELLING ? { last4: found.key.slice(-4) } : {}),
    ...(entry?.base_url === undefined ? {} : { base_url: entry.base_url }),
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
