/** Which models there are, by the keys that are set, and which one new sessions get when nobody said. */
import { listedModels } from '@toolwire/models'

interface Keys {
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly OPENAI_API_KEY?: string | undefined
}

export function defaultModel(env: Keys): string {
  if (env.ANTHROPIC_API_KEY) return 'claude-sonnet-5-5'
  if (env.OPENAI_API_KEY) return 'gpt-5.5'
  return 'demo'
}

/** The demo model and the known models of every provider whose key is set. */
export function availableModels(env: Keys): readonly string[] {
  const keys: Readonly<Record<string, string | undefined>> = {
    anthropic: env.ANTHROPIC_API_KEY,
    openai: env.OPENAI_API_KEY,
  }
  return [
    'demo',
    ...listedModels()
      .filter(row => keys[row.provider])
      .map(row => row.id),
  ]
}
