/** Searches of the server in the blocks of the provider's own searches, and how they are known when they come back. Pure. */
import type { ServedSearch } from '../gateway/answer-part.ts'
import type { ProviderBlock } from './message-event.ts'

const PREFIX = 'srvtoolu_toolwire_'
/** Sources have their text in the log alone. */
const CONTENT = 'toolwire'

/** Codes that clients of this API know. */
const CODES: ReadonlyMap<string, string> = new Map([
  ['max_uses_exceeded', 'max_uses_exceeded'],
  ['http_429', 'too_many_requests'],
  ['invalid_arguments', 'invalid_tool_input'],
])

export function searchBlocks({
  call_id,
  query,
  sources,
  isFailed,
  error,
}: ServedSearch): readonly ProviderBlock[] {
  const id = `${PREFIX}${call_id}`
  const error_code = CODES.get(error ?? '') ?? 'unavailable'
  const found = sources.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: CONTENT,
    page_age: null,
  }))
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: isFailed ? { type: 'web_search_tool_result_error', error_code } : found,
    },
  ]
}

/** True for a block of `searchBlocks`: the provider would reject it, and the log has the search itself. */
export function isOwnSearch({ id, tool_use_id }: Readonly<Record<string, unknown>>): boolean {
  const name = id ?? tool_use_id
  return typeof name === 'string' && name.startsWith(PREFIX)
}
