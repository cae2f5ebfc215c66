/** The built-in providers, with the variables of the environment that hold their keys and addresses. */
import type { BuiltInProvider, ProviderApi } from '@toolwire/models'

interface BuiltInFacts {
  readonly label: string
  /** The variable with the key; with `_FILE` behind it, the variable with the path of a file that holds the key. */
  readonly key: 'ANTHROPIC_API_KEY' | 'OPENAI_API_KEY'
  readonly base: 'ANTHROPIC_BASE_URL' | 'OPENAI_BASE_URL'
  /** OpenAI's API depends on host and model. */
  readonly api?: ProviderApi
  /** Servers that imitate it may need no key. */
  readonly isKeyOptional: boolean
}

export const BUILT_IN: Readonly<Record<BuiltInProvider, BuiltInFacts>> = {
  anthropic: {
    label: 'Anthropic',
    key: 'ANTHROPIC_API_KEY',
    base: 'ANTHROPIC_BASE_URL',
    api: 'anthropic',
    isKeyOptional: false,
  },
  openai: { label: 'OpenAI', key: 'OPENAI_API_KEY', base: 'OPENAI_BASE_URL', isKeyOptional: true },
}

export const builtInFacts = (name: string): BuiltInFacts | undefined =>
  Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name as BuiltInProvider] : undefined
