/** Token counts of the Messages API: cumulative, so what an event names replaces what was known. */
import type { Usage } from '@toolwire/core'
import { asNumber, asObject, isObject } from './json.ts'

const NONE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

export function toUsage(before: Usage = NONE, raw: unknown): Usage {
  if (!isObject(raw)) return before
  return {
    input: asNumber(raw['input_tokens']) ?? before.input,
    output: asNumber(raw['output_tokens']) ?? before.output,
    cache_read: asNumber(raw['cache_read_input_tokens']) ?? before.cache_read,
    cache_write: asNumber(raw['cache_creation_input_tokens']) ?? before.cache_write,
    reasoning: asNumber(asObject(raw['output_tokens_details'])['thinking_tokens']) ?? before.reasoning,
  }
}
