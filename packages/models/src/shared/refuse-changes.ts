/** Requests that want to be sent as they are or not at all. */
import type { ModelRequest, Warning } from '@toolwire/core'

/** Done in another way than asked, with the same effect. */
const SAME_EFFECT: ReadonlySet<string> = new Set(['json_by_tool', 'system_in_text'])

/** The sentence that refuses the request, when it takes no changes and the provider would not get all of it. Pure. */
export const refusedChange = (request: ModelRequest, warnings: readonly Warning[]): string | undefined =>
  request.options?.['refuse_changes'] === true
    ? warnings.find(warning => !SAME_EFFECT.has(warning.code))?.message
    : undefined
