/** Providers that environment and configuration define, with their keys: read once, when the server starts. */
import { readFileSync } from 'node:fs'
import type { ProviderApi } from '@toolwire/models'
import { ExitError } from '../exit.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { BUILT_IN, builtInFacts } from './providers.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface FixedKey {
  readonly key: string
  readonly source: 'environment' | 'file'
}

/** A provider as it is before anything is set while the server runs. */
export interface FixedProvider {
  readonly name: string
  /** For users. */
  readonly label: string
  readonly api?: ProviderApi | undefined
  readonly keys: readonly FixedKey[]
  /** The variable, or variables, to set; empty when no key is needed. */
  readonly variable: string
  /** The variable that gives the address, if one does. */
  readonly baseVariable?: string
  readonly base_url?: string | undefined
  readonly isKeyOptional: boolean
  readonly settings: ProviderSettings
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Values of headers and parameters that come from the environment. */
  readonly secrets: readonly string[]
}

export type FixedProviders = ReadonlyMap<string, FixedProvider>

/** Built-in providers first. Throws ExitError (usage) for a file that cannot be read. */
export function readFixedProviders(
  env: Environment,
  providers: Readonly<Record<string, ProviderSettings>> = {},
): FixedProviders {
  const names = new Set([...Object.keys(BUILT_IN), ...Object.keys(providers)])
  return new Map([...names].map(name => [name, readProvider(name, providers[name] ?? {}, env)]))
}

function readProvider(name: string, settings: ProviderSettings, env: Environment): FixedProvider {
  const facts = builtInFacts(name)
  const base = facts && env[facts.base]
  const headers = readValues(settings.headers, env)
  const query = readValues(settings.query, env)
  return {
    name,
    label: facts?.label ?? name,
    api: settings.api ?? facts?.api,
    keys: settings.key ? readKeys(settings.key, env) : facts ? vendorKeys(facts.key, env) : [],
    variable: settings.key ? variablesOf(settings.key) : (facts?.key ?? ''),
    base_url: base || settings.baseUrl,
    ...(base ? { baseVariable: facts.base } : {}),
    isKeyOptional: settings.key === undefined && (facts?.isKeyOptional ?? true),
    settings,
    headers: headers.values,
    query: query.values,
    secrets: [...headers.secrets, ...query.secrets],
  }
}

/** The vendor's variable, else the file that the variable with `_FILE` names. */
function vendorKeys(variable: string, env: Environment): readonly FixedKey[] {
  const key = env[variable]
  if (key) return [{ key, source: 'environment' }]
  const path = env[`${variable}_FILE`]
  return path ? [{ key: readSecret(path, `variable ${variable}_FILE`), source: 'file' }] : []
}

type KeySources = NonNullable<ProviderSettings['key']>

function readKeys(sources: KeySources, env: Environment): readonly FixedKey[] {
  return sources.flatMap((source): readonly FixedKey[] => {
    if (typeof source !== 'string')
      return [{ key: readSecret(source.file, 'setting providers'), source: 'file' }]
    const key = env[source]
    return key ? [{ key, source: 'environment' }] : []
  })
}

const variablesOf = (sources: KeySources): string =>
  sources.flatMap(source => (typeof source === 'string' ? [source] : [])).join(', ')

function readValues(values: ProviderSettings['headers'], env: Environment) {
  const pairs = Object.entries(values ?? {}).map(([name, value]) =>
    typeof value === 'string'
      ? { name, value, isSecret: false }
      : { name, value: env[value.env] ?? '', isSecret: true },
  )
  const given = pairs.filter(({ value }) => value !== '')
  return {
    values: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    secrets: given.filter(({ isSecret }) => isSecret).map(({ value }) => value),
  }
}

function readSecret(path: string, origin: string): string {
  let text = ''
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch {
    throw new ExitError('usage', `The file ${path} (${origin}) cannot be read.`)
  }
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new ExitError('usage', `The file ${path} (${origin}) must hold one key and nothing else.`)
  return text
}
