/** Whose rules a model id follows, as far as its name tells. Only used to say what will be ignored. */
export type ModelFamily = 'anthropic' | 'openai' | 'other'

export function modelFamily(id: string): ModelFamily {
  if (/^(anthropic\/|claude-)/.test(id)) return 'anthropic'
  return /^(openai\/|gpt-|chatgpt-|o\d)/.test(id) ? 'openai' : 'other'
}
