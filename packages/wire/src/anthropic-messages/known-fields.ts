/** The fields that are read from a Messages request; all others are reported as ignored. */
import { anyOf, type FieldSpec } from '../gateway/ignored-fields.ts'
import { MessagesRequest } from './request-schema.ts'

/** Marks of the prompt cache are looked for on their own. */
const MARK = anyOf('cache_control')

const text: FieldSpec = { ...anyOf('type', 'text', 'citations'), ...MARK }
const source: FieldSpec = anyOf('type', 'media_type', 'data', 'url')

const said: FieldSpec = ({ type }) => {
  switch (type) {
    case 'image':
      return { ...anyOf('type'), ...MARK, source }
    case 'document':
      return { ...anyOf('type', 'title'), ...MARK, source }
    case 'search_result':
      return { ...anyOf('type', 'title', 'source'), ...MARK, content: text }
    case 'tool_result':
      return { ...anyOf('type', 'tool_use_id', 'is_error'), ...MARK, content: said }
    default:
      return text
  }
}

const written: FieldSpec = ({ type, caller }) => {
  switch (type) {
    case 'text':
      return text
    case 'thinking':
      return anyOf('type', 'thinking', 'signature')
    case 'redacted_thinking':
      return anyOf('type', 'data')
    case 'tool_use':
      // The model called it by itself: that is what a call without the field says too.
      return { ...anyOf('type', 'id', 'name', 'input', ...(isDirect(caller) ? ['caller'] : [])), ...MARK }
    default:
      return 'any'
  }
}

const isDirect = (caller: unknown): boolean =>
  typeof caller === 'object' && caller !== null && 'type' in caller && caller.type === 'direct'

export const KNOWN_FIELDS: FieldSpec = {
  ...anyOf(...Object.keys(MessagesRequest.shape)),
  messages: ({ role }) => ({ ...anyOf('role'), content: role === 'assistant' ? written : said }),
  system: text,
  tool_choice: anyOf('type', 'name', 'disable_parallel_tool_use'),
  thread: anyOf('type', 'previous_message_id'),
  metadata: anyOf('user_id', 'session_id', 'server_tools'),
}
