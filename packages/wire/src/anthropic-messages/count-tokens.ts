/** Estimates the tokens of a request at four characters each. Pure. */
import { parseBody } from '../shared/parse-body.ts'
import { MessagesRequest } from './request-schema.ts'

const CHARACTERS_PER_TOKEN = 4
const IMAGE_TOKENS = 1600

/** Throws `bad_request` for what the Messages route would refuse as well. */
export function estimateTokens(body: unknown): number {
  const { system, messages, tools } = parseBody(MessagesRequest, body)
  let images = 0
  const text = JSON.stringify([system ?? [], messages, tools ?? []], (key, value: unknown) => {
    if (key !== 'source') return value
    images += 1
    return undefined
  })
  return Math.max(1, Math.ceil(text.length / CHARACTERS_PER_TOKEN) + images * IMAGE_TOKENS)
}
