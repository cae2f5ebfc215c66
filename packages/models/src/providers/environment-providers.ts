/** The two built-in providers, from the variables that their vendors' clients read. */
import type { LookupFunction } from 'node:net'
import { createKeyPool } from '../shared/key-pool.ts'
import type { ProviderEntry } from './provider-entry.ts'

/** The variables that matter; the process environment fits. */
export interface ModelEnvironment {
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly ANTHROPIC_BASE_URL?: string | undefined
  readonly OPENAI_API_KEY?: string | undefined
  readonly OPENAI_BASE_URL?: string | undefined
}

/** Providers whose keys and addresses the environment holds. */
export type BuiltInProvider = 'anthropic' | 'openai'

export function environmentProviders(
  env: ModelEnvironment,
  lookup?: (provider: BuiltInProvider) => LookupFunction | undefined,
): readonly ProviderEntry[] {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL } = env
  return [
    {
      name: 'anthropic',
      api: 'anthropic',
      keys: poolOf(ANTHROPIC_API_KEY),
      baseUrl: ANTHROPIC_BASE_URL || undefined,
      lookup: lookup?.('anthropic'),
      missing: ANTHROPIC_API_KEY ? undefined : missingKey('Anthropic', 'ANTHROPIC_API_KEY'),
    },
    {
      name: 'openai',
      keys: poolOf(OPENAI_API_KEY),
      baseUrl: OPENAI_BASE_URL || undefined,
      lookup: lookup?.('openai'),
      // A server of one's own needs no key; OpenAI's does.
      missing: OPENAI_API_KEY || OPENAI_BASE_URL ? undefined : missingKey('OpenAI', 'OPENAI_API_KEY'),
    },
  ]
}

const poolOf = (key: string | undefined) => createKeyPool(key ? [key] : [])

/** For a provider that has no key. */
export const missingKey = (provider: string, variable: string) => ({
  message: `needs an API key of ${provider}: paste one in Settings, set the environment variable ${variable}, or use the model "demo", which needs none.`,
  variable,
})
