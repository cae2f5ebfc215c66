/** Estimates the tokens of a request without a provider count: four characters each, a fixed price for media. */
import type { ModelRequest, TokenCount } from '@toolwire/core'

const CHARACTERS_PER_TOKEN = 4
const MEDIA_TOKENS = 1600

/** Pure. Characters of other scripts than Latin weigh more, since a token holds fewer of them. */
export function estimateTokens({ system, messages, tools }: ModelRequest): TokenCount {
  let media = 0
  const text = JSON.stringify([system ?? '', messages, tools], (key, value: unknown) => {
    if (key !== 'source') return value
    media += 1
    return undefined
  })
  const input_tokens = tokensOfText(text) + media * MEDIA_TOKENS
  return { input_tokens: Math.max(1, input_tokens), is_estimate: true }
}

/** The same measure for a text alone. */
export function tokensOfText(text: string): number {
  const wide = text.match(/[\u0400-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide)
}
