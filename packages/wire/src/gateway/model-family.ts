/** The vendor whose rules a model id follows, judged by its name. Used only to warn of ignored fields. */
export type ModelFamily = 'anthropic' | 'openai' | 'other'

export function modelFamily(id: string): ModelFamily {
  if (/^(anthropic\/|claude-)/.test(id)) return 'anthropic'
  return /^(openai\/|gpt-|chatgpt-|o\d)/.test(id) ? 'openai' : 'other'
}
