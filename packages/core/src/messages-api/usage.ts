/** Token counts of the Messages API. They are cumulative: a named count replaces, an omitted one stays. */
import type { Usage } from '../event.ts'
import { asCount, isObject } from '../json.ts'
import { NO_USAGE } from '../no-usage.ts'

/** Returns `before` itself when `raw` is no usage at all. Pure. */
export function mergeMessagesUsage(before: Usage = NO_USAGE, raw?: unknown): Usage {
  if (!isObject(raw)) return before
  const details = isObject(raw['output_tokens_details']) ? raw['output_tokens_details'] : {}
  const written = isObject(raw['cache_creation']) ? raw['cache_creation'] : {}
  const hours = asCount(written['ephemeral_1h_input_tokens']) ?? before.cache_write_1h
  return {
    input: asCount(raw['input_tokens']) ?? before.input,
    output: asCount(raw['output_tokens']) ?? before.output,
    cache_read: asCount(raw['cache_read_input_tokens']) ?? before.cache_read,
    cache_write: asCount(raw['cache_creation_input_tokens']) ?? before.cache_write,
    ...(hours ? { cache_write_1h: hours } : {}),
    reasoning: asCount(details['thinking_tokens']) ?? before.reasoning,
  }
}
