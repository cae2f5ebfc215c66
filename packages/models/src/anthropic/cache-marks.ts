/**
 * Positions of the provider's cache marks: the system prompt (with the tools before it) and the ends of the last
 * three user turns. The next request's second mark is at this request's first one, so a growing session is read
 * whole from the cache, however many blocks a turn adds. At most four marks, the provider's limit.
 */
import type { CacheControl, Message, MessagesBody, TextBlock, ToolDefinition, UserBlock } from './schema.ts'

const MARKED_TURNS = 3

type Mark = { readonly cache_control: CacheControl }

/** One object for all requests: definitions of tools with equal fields are recognised, and sent as the same bytes. */
const SHORT: Mark = { cache_control: { type: 'ephemeral' } }
const LONG: Mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }

/** Pure. Marks move as a session grows, but the marked content does not change. Kept for five minutes, or for `ttl`. */
export function markCache(body: MessagesBody, ttl?: '1h'): MessagesBody {
  const mark = ttl ? LONG : SHORT
  return { ...body, ...markPrefix(body, mark), messages: markTurns(body.messages, mark) }
}

function markPrefix(body: MessagesBody, mark: Mark): Pick<MessagesBody, 'system' | 'tools'> {
  if (body.system) return { system: markLast<TextBlock>(body.system, mark) }
  if (body.tools)
    return { tools: markLast<ToolDefinition | Readonly<Record<string, unknown>>>(body.tools, mark) }
  return {}
}

function markTurns(messages: readonly Message[], mark: Mark): readonly Message[] {
  const marked = [...messages]
  let left = MARKED_TURNS
  for (let at = marked.length - 1; at >= 0 && left > 0; at--) {
    const message = marked[at]
    if (message?.role !== 'user') continue
    marked[at] = { role: 'user', content: markLast<UserBlock>(message.content, mark) }
    left -= 1
  }
  return marked
}

const markLast = <T extends object>(blocks: readonly T[], mark: Mark): readonly T[] =>
  blocks.map((block, place) => (place === blocks.length - 1 ? { ...block, ...mark } : block))
