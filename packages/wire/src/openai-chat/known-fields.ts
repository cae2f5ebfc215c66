/** The fields that are read from a Chat Completions request; all others are reported as ignored. */
import { anyOf, type FieldSpec } from '../gateway/ignored-fields.ts'
import { ChatRequest } from './request-schema.ts'

/** Marks of the prompt cache are looked for on their own. */
const MARK = anyOf('cache_control')

const part: FieldSpec = ({ type }) => {
  if (type === 'image_url') return { ...anyOf('type'), ...MARK, image_url: imageUrl }
  if (type === 'file') return { ...anyOf('type'), ...MARK, file: anyOf('filename', 'file_data', 'file_id') }
  return { ...anyOf('type', 'text', 'refusal'), ...MARK }
}

/** `auto` is what happens without the field. */
const imageUrl: FieldSpec = ({ detail }) => (detail === 'auto' ? anyOf('url', 'detail') : anyOf('url'))

/** Clients that send a call back as their stream helper left it add its place and its parsed arguments. */
const call: FieldSpec = {
  ...anyOf('id', 'type', 'index'),
  function: anyOf('name', 'arguments', 'parsed_arguments'),
}

const message: FieldSpec = ({ role }) => {
  switch (role) {
    case 'assistant':
      return {
        // `parsed` is the same text once more; a name here is the model's own.
        ...anyOf('role', 'refusal', 'reasoning_content', 'parsed', 'name'),
        ...MARK,
        content: part,
        tool_calls: call,
        function_call: anyOf('name', 'arguments'),
      }
    case 'tool':
      // The call has the name already.
      return { ...anyOf('role', 'tool_call_id', 'is_error', 'name'), ...MARK, content: part }
    case 'function':
      return { ...anyOf('role', 'name'), ...MARK, content: part }
    default:
      return { ...anyOf('role'), ...MARK, content: part }
  }
}

const definition = anyOf('name', 'description', 'parameters', 'input_schema', 'strict')
const tool: FieldSpec = ({ function: inner }) =>
  inner === undefined
    ? { ...definition, ...anyOf('type'), ...MARK }
    : { ...anyOf('type'), ...MARK, function: definition }

const named = { ...anyOf('type'), function: anyOf('name') }

export const KNOWN_FIELDS: FieldSpec = {
  ...anyOf(...Object.keys(ChatRequest.shape)),
  ...MARK,
  messages: message,
  stream_options: anyOf('include_usage'),
  tools: tool,
  functions: definition,
  tool_choice: { ...named, allowed_tools: { ...anyOf('mode'), tools: named } },
  function_call: anyOf('name'),
  metadata: anyOf('session_id', 'server_tools'),
}
