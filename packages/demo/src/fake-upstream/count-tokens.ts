/** Length of a request, by the fake's own measure. */
import { isObject, parseJson } from '@toolwire/core'

/** No tokenizer is public; four characters a token is the usual guess. Pure. */
export function countTokens(body: string): number {
  const parsed = parseJson(body)
  if (!isObject(parsed)) return 1
  const { model: _, ...counted } = parsed
  return Math.ceil(JSON.stringify(counted).length / 4)
}
