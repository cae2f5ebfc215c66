/**
 * The providers of models while the server runs: listed, set, removed, tested and discovered. A change applies from the
 * next request to a provider; a response that streams keeps the key that it began with.
 */
import { AppError } from '@toolwire/core'
import {
  type DiscoveredFacts,
  type ProviderAnswer,
  type ProviderEntry,
  probeProvider,
} from '@toolwire/models'
import type {
  ProviderEntry as KeyEntry,
  ProviderPort,
  ProviderStatus,
  ProviderTest,
  PutOptions,
} from '@toolwire/server'
import { checkAddress, publicLookup } from './check-address.ts'
import { type EffectiveProvider, effectiveProvider } from './effective-provider.ts'
import type { FixedProvider } from './fixed-providers.ts'
import { openModelCache } from './model-cache.ts'
import { openProviderBook, type ProviderBookOptions, settingsProvider } from './provider-book.ts'
import { isProviderName } from './provider-settings.ts'
import { statusOf } from './provider-status.ts'

export interface ProviderKeys {
  /** All providers, also those that lack a key. The same list until something changes. */
  readonly entries: () => readonly ProviderEntry[]
  /** The models that a provider listed; undefined where it was not asked. */
  readonly listed: (name: string) => readonly string[] | undefined
  readonly discovered: (name: string, model: string) => DiscoveredFacts | undefined
  /** Asks the providers whose models are to be discovered. Never rejects. */
  readonly discover: (signal: AbortSignal) => Promise<void>
  readonly port: ProviderPort
}

export interface ProviderKeysOptions extends ProviderBookOptions {
  /** Local network hosts that may be given as an address by callers who may set keys. */
  readonly hosts: readonly string[]
}

const TEST_MS = 15_000
const DISCOVERY_MS = 5000

/** Throws ExitError when a file with keys cannot be used. */
export function openProviderKeys(options: ProviderKeysOptions): ProviderKeys {
  const book = openProviderBook(options)
  const cache = openModelCache(options.data)
  const errors = new Map<string, ProviderTest>()

  function status(name: string): ProviderStatus {
    const fixed = book.all().get(name)
    if (!fixed) throw new AppError('not_found', 'There is no such provider.')
    const found = book.effective(name)
    return statusOf(fixed, found, {
      entry: book.stored(name),
      keys: book.pool(name),
      listing: cache.get(name, found?.base_url),
      error: errors.get(name),
    })
  }

  /** Returns the result of the test, if one was wanted. A test that failed stores nothing. */
  async function put(name: string, entry: KeyEntry, rules: PutOptions): Promise<ProviderTest | undefined> {
    const fixed = book.all().get(name) ?? newProvider(name, entry)
    checkEntry(fixed, entry)
    const near =
      entry.base_url === undefined
        ? { is_near: true }
        : await checkAddress(entry.base_url, { isLocal: rules.isLocal, hosts: options.hosts })
    const candidate = effectiveProvider({ ...fixed, keys: [] }, { ...entry, ...near })
    const answer =
      rules.isTested && candidate
        ? await askProvider(fixed, candidate, AbortSignal.timeout(TEST_MS))
        : undefined
    if (answer?.ok === false) return toTest(answer)
    // Another vendor's server has its own models.
    const models = entry.base_url !== undefined && answer ? { models: [...answer.models] } : {}
    await book.change(keys => ({ ...keys, [name]: { ...entry, ...near, ...models } }))
    return answer && toTest(answer)
  }

  async function test(name: string, signal = AbortSignal.timeout(TEST_MS)): Promise<ProviderTest> {
    const fixed = book.all().get(name)
    const asked = book.effective(name)
    if (!fixed || !asked)
      throw new AppError('missing_key', `There is no key of ${fixed?.label ?? name} to test.`, {
        variable: fixed?.variable,
      })
    if (asked.api === 'ai-sdk')
      throw new AppError('bad_request', 'Providers of the AI SDK list no models: send a message to test one.')
    const answer = await askProvider(fixed, asked, signal)
    const result = toTest(answer)
    if (answer.ok) await remember(fixed, asked, answer)
    if (answer.ok) errors.delete(name)
    else errors.set(name, result)
    return result
  }

  async function remember(
    fixed: FixedProvider,
    asked: EffectiveProvider,
    answer: Extract<ProviderAnswer, { ok: true }>,
  ): Promise<void> {
    const { name } = fixed
    if (isDiscovered(fixed, asked)) await cache.set(name, asked.base_url, answer)
    const entry = book.stored(name)
    if (entry?.base_url === undefined || entry.base_url !== asked.base_url) return book.refresh()
    // The key may have changed during the test.
    await book.change(keys =>
      keys[name] === entry ? { ...keys, [name]: { ...entry, models: [...answer.models] } } : keys,
    )
  }

  return {
    entries: book.entries,
    listed(name) {
      const found = book.effective(name)
      const own = found?.source === 'settings' ? book.stored(name)?.models : undefined
      return own ?? (found && cache.get(name, found.base_url)?.models)
    },
    discovered: (name, model) => cache.factsOf(name, book.effective(name)?.base_url, model),
    async discover(signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_MS)])
      const asked = [...book.all().values()].filter(fixed => {
        const found = book.effective(fixed.name)
        return found && isDiscovered(fixed, found)
      })
      await Promise.all(asked.map(({ name }) => test(name, limited).catch(() => undefined)))
    },
    port: toPort({ book, status, put, test }),
  }
}

interface PortParts {
  readonly book: ReturnType<typeof openProviderBook>
  readonly status: (name: string) => ProviderStatus
  readonly put: (name: string, entry: KeyEntry, rules: PutOptions) => Promise<ProviderTest | undefined>
  readonly test: (name: string) => Promise<ProviderTest>
}

function toPort({ book, status, put, test }: PortParts): ProviderPort {
  const isKnown = (name: string): boolean => book.all().has(name)
  return {
    list: () => [...book.all().keys()].map(status),
    async put(name, entry, rules) {
      if (!isKnown(name) && !isProviderName(name)) return undefined
      const result = await put(name, entry, rules)
      const now = isKnown(name) ? status(name) : statusOf(newProvider(name, entry), undefined)
      return { ...now, ...(result ? { test: result } : {}) }
    },
    async remove(name) {
      const fixed = book.all().get(name)
      if (!fixed) return undefined
      if (book.stored(name)) await book.change(({ [name]: _, ...rest }) => rest)
      return isKnown(name) ? status(name) : statusOf(fixed, undefined)
    },
    test: async name => (isKnown(name) ? await test(name) : undefined),
  }
}

/** Throws `bad_request` for a provider that says too little of itself. */
function newProvider(name: string, { api, base_url }: KeyEntry): FixedProvider {
  if (api === undefined) throw new AppError('bad_request', 'api: is needed for a new provider')
  if (base_url === undefined) throw new AppError('bad_request', 'base_url: is needed for a new provider')
  return settingsProvider(name, api)
}

/** Throws `bad_request` for an entry that the server could not use. */
function checkEntry(fixed: FixedProvider, entry: KeyEntry): void {
  if (fixed.api === 'ai-sdk')
    throw new AppError('bad_request', 'key: providers of the AI SDK read their keys themselves')
  if (entry.api !== undefined && fixed.api !== undefined && entry.api !== fixed.api)
    throw new AppError('bad_request', `api: this provider speaks ${fixed.api}`)
  if (entry.key === undefined && !fixed.isKeyOptional) throw new AppError('bad_request', 'key: is needed')
  if (entry.base_url !== undefined && fixed.base_url !== undefined)
    throw new AppError(
      'bad_request',
      fixed.baseVariable
        ? `base_url: the variable ${fixed.baseVariable} names the address`
        : 'base_url: the configuration names the address',
    )
}

/** Built-in providers have a table of models; it applies unless the configuration says otherwise. */
function isDiscovered({ name, settings }: FixedProvider, { api, source }: EffectiveProvider): boolean {
  if (api === 'ai-sdk' || typeof settings.models === 'object') return false
  if (settings.models === 'discover') return true
  const isBuiltIn = name === 'anthropic' || name === 'openai'
  return !isBuiltIn && (source !== 'settings' || settings.models === undefined)
}

/** Asks for the models of a provider. Never rejects. */
export const askProvider = (
  fixed: FixedProvider,
  found: EffectiveProvider,
  signal: AbortSignal,
): Promise<ProviderAnswer> =>
  probeProvider(
    {
      provider: found.name,
      api: found.api,
      apiKey: found.keys[0],
      baseUrl: found.base_url,
      auth: fixed.settings.auth,
      headers: fixed.headers,
      query: fixed.query,
      secrets: fixed.secrets,
      lookup: found.isWatched ? publicLookup : undefined,
    },
    signal,
  )

function toTest(answer: ProviderAnswer): ProviderTest {
  if (answer.ok) return { ok: true, models: answer.models.length }
  const { code, message, retryable, http_status } = answer.error
  return { ok: false, error: { code, message, retryable, ...(http_status ? { http_status } : {}) } }
}
