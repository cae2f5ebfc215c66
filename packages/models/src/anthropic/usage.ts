/** Token counts of the Messages API. They are cumulative: what an event names replaces, what it omits stays. */
import type { Usage } from '@toolwire/core'
import { asNumber, isObject } from '../shared/json.ts'

export function mergeUsage(before: Usage, raw: unknown): Usage {
  if (!isObject(raw)) return before
  const details = isObject(raw['output_tokens_details']) ? raw['output_tokens_details'] : {}
  return {
    input: asNumber(raw['input_tokens']) ?? before.input,
    output: asNumber(raw['output_tokens']) ?? before.output,
    cache_read: asNumber(raw['cache_read_input_tokens']) ?? before.cache_read,
    cache_write: asNumber(raw['cache_creation_input_tokens']) ?? before.cache_write,
    reasoning: asNumber(details['thinking_tokens']) ?? before.reasoning,
  }
}
