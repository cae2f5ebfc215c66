/** The keys that the environment holds, or the files that it names: read once, when the server starts. */
import { readFileSync } from 'node:fs'
import type { BuiltInProvider as Provider } from '@toolwire/models'
import { ExitError } from '../exit.ts'
import { PROVIDER_IDS, PROVIDERS } from './providers.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface EnvironmentKey {
  readonly key?: string
  readonly base_url?: string
  readonly source: 'environment' | 'file'
}

/** A provider of which the environment says nothing is absent. Throws ExitError (usage) for a file that cannot be read. */
export function readEnvironmentKeys(env: Environment): Readonly<Partial<Record<Provider, EnvironmentKey>>> {
  return Object.fromEntries(
    PROVIDER_IDS.map(provider => [provider, keyOf(provider, env)] as const).filter(([, key]) => key),
  )
}

function keyOf(provider: Provider, env: Environment): EnvironmentKey | undefined {
  const facts = PROVIDERS[provider]
  const base = env[facts.base] ? { base_url: env[facts.base] ?? '' } : {}
  const key = env[facts.key]
  if (key) return { key, ...base, source: 'environment' }
  const path = env[`${facts.key}_FILE`]
  if (path) return { key: readSecret(path, `${facts.key}_FILE`), ...base, source: 'file' }
  return 'base_url' in base ? { ...base, source: 'environment' } : undefined
}

function readSecret(path: string, variable: string): string {
  let text = ''
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch {
    throw new ExitError('usage', `The file ${path} (variable ${variable}) cannot be read.`)
  }
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new ExitError(
      'usage',
      `The file ${path} (variable ${variable}) must hold one key and nothing else.`,
    )
  return text
}
