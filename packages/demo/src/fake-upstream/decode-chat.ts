/** A Chat Completions body as a model request. Refuses unanswered and orphaned calls, as the real service does. Pure. */
import type { AssistantPart, ContentPart, HistoryMessage, ModelRequest, ToolResultPart } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import { BadBodyError, list, toSpec } from './decode-body.ts'

export function decodeChat(body: JsonObject): ModelRequest {
  const model = asString(body['model'])
  if (!model) throw new BadBodyError('you must provide a model parameter')
  const messages = list(body['messages'], 'messages')
  if (messages.length === 0) throw new BadBodyError("[] is too short - 'messages'")
  const max = asNumber(body['max_completion_tokens']) ?? asNumber(body['max_tokens'])
  return {
    model,
    messages: toHistory(messages),
    tools: list(body['tools'] ?? [], 'tools').map(toTool),
    ...toChoice(body['tool_choice']),
    ...(body['parallel_tool_calls'] === false ? { parallel_tool_calls: false } : {}),
    ...(max === undefined ? {} : { max_tokens: max }),
    options: body,
  }
}

function toTool(tool: JsonObject): ReturnType<typeof toSpec> {
  const fn = isObject(tool['function']) ? tool['function'] : {}
  return toSpec(fn['name'], fn['description'], fn['parameters'])
}

function toHistory(messages: readonly JsonObject[]): readonly HistoryMessage[] {
  const history: HistoryMessage[] = []
  let open = new Map<string, string>()
  let results: ToolResultPart[] = []
  const settle = (): void => {
    if (open.size > 0) throw unanswered([...open.keys()])
    if (results.length > 0) history.push({ role: 'tool', results })
    results = []
  }
  messages.forEach((message, place) => {
    if (message['role'] === 'tool') {
      results.push(toResult(message, open, place))
      return
    }
    settle()
    if (message['role'] === 'assistant') {
      const content = toAssistant(message)
      open = new Map(content.flatMap(part => (part.type === 'tool_use' ? [[part.call_id, part.name]] : [])))
      history.push({
        role: 'assistant',
        message_id: `msg_${place}`,
        provider: 'fake',
        model: 'fake',
        content,
      })
    } else {
      const isSystem = message['role'] === 'system' || message['role'] === 'developer'
      history.push({ role: isSystem ? 'system' : 'user', content: toContent(message['content']) })
    }
  })
  settle()
  return history
}

const unanswered = (ids: readonly string[]): BadBodyError =>
  new BadBodyError(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
  )

function toResult(message: JsonObject, open: Map<string, string>, place: number): ToolResultPart {
  const call_id = asString(message['tool_call_id']) ?? ''
  const name = open.get(call_id)
  if (name === undefined)
    throw new BadBodyError(
      `Invalid parameter: messages.[${place}] with role 'tool' must be a response to a preceding message with 'tool_calls'.`,
    )
  open.delete(call_id)
  const text = toContent(message['content'])
    .map(part => (part.type === 'text' ? part.text : ''))
    .join('')
  return {
    type: 'tool_result',
    call_id,
    name,
    output_text: text,
    content: [],
    is_error: text.startsWith('[error]'),
  }
}

function toAssistant(message: JsonObject): readonly AssistantPart[] {
  const text = toContent(message['content'] ?? '').filter(part => part.type === 'text' && part.text !== '')
  const calls = list(message['tool_calls'] ?? [], 'tool_calls').map((call): AssistantPart => {
    const fn = isObject(call['function']) ? call['function'] : {}
    const input_text = asString(fn['arguments']) ?? ''
    return { type: 'tool_use', call_id: String(call['id']), name: String(fn['name']), input_text }
  })
  return [...(text as readonly AssistantPart[]), ...calls]
}

function toContent(content: unknown): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return list(content ?? [], 'content').flatMap((part): ContentPart[] => {
    if (typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }]
    const image = part['image_url']
    if (isObject(image)) return [{ type: 'image', source: { type: 'url', url: String(image['url']) } }]
    return []
  })
}

function toChoice(raw: unknown): Pick<ModelRequest, 'tool_choice'> {
  if (raw === 'required') return { tool_choice: { type: 'any' } }
  if (raw === 'none') return { tool_choice: { type: 'none' } }
  if (isObject(raw) && isObject(raw['function']))
    return { tool_choice: { type: 'tool', name: String(raw['function']['name']) } }
  return {}
}
