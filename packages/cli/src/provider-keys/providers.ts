/** The providers whose keys can be set, with the variables of the environment that hold them. */
import type { BuiltInProvider as Provider } from '@toolwire/models'

export interface ProviderFacts {
  readonly name: string
  /** The variable with the key; with `_FILE` behind it, the variable with the path of a file that holds the key. */
  readonly key: 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY'
  readonly base: 'ANTHROPIC_BASE_URL' | 'OPENAI_BASE_URL'
  /** Servers that imitate it may need no key. */
  readonly isKeyOptional: boolean
}

export const PROVIDERS: Readonly<Record<Provider, ProviderFacts>> = {
  anthropic: {
    name: 'Anthropic',
    key: 'ANTHROPIC_API_KEY',
    base: 'ANTHROPIC_BASE_URL',
    isKeyOptional: false,
  },
  openai: { name: 'OpenAI', key: 'OPENAI_API_KEY', base: 'OPENAI_BASE_URL', isKeyOptional: true },
}

export const PROVIDER_IDS = Object.keys(PROVIDERS) as readonly Provider[]
