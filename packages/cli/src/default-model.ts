/** Which model new sessions get when nobody said: by the key that is set, else the one that needs none. */
interface Keys {
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly OPENAI_API_KEY?: string | undefined
}

export function defaultModel(env: Keys): string {
  if (env.ANTHROPIC_API_KEY) return 'claude-sonnet-5-5'
  if (env.OPENAI_API_KEY) return 'gpt-5.5'
  return 'demo'
}
