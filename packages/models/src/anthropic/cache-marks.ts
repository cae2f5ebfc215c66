/**
 * Where the provider may keep what it has read. The system prompt (with the tools before it)
 * and the ends of the last three user turns are marked: the next request's second mark stands
 * where this request's first one stood, so a growing session is re-read whole from the cache,
 * however many blocks a turn adds. At most four marks, which is the provider's limit.
 */
import type { Message, MessagesBody, TextBlock, ToolDefinition, UserBlock } from './schema.ts'

const MARK = { cache_control: { type: 'ephemeral' } } as const
const MARKED_TURNS = 3

/** Pure. Marks move as a session grows, but the marked content does not change. */
export function markCache(body: MessagesBody): MessagesBody {
  return { ...body, ...markPrefix(body), messages: markTurns(body.messages) }
}

function markPrefix(body: MessagesBody): Pick<MessagesBody, 'system' | 'tools'> {
  if (body.system) return { system: markLast<TextBlock>(body.system) }
  if (body.tools) return { tools: markLast<ToolDefinition | Readonly<Record<string, unknown>>>(body.tools) }
  return {}
}

function markTurns(messages: readonly Message[]): readonly Message[] {
  const places = messages
    .flatMap((message, place) => (message.role === 'user' ? [place] : []))
    .slice(-MARKED_TURNS)
  return messages.map((message, place) =>
    message.role === 'user' && places.includes(place)
      ? { role: 'user', content: markLast<UserBlock>(message.content) }
      : message,
  )
}

const markLast = <T extends object>(blocks: readonly T[]): readonly T[] =>
  blocks.map((block, place) => (place === blocks.length - 1 ? { ...block, ...MARK } : block))
