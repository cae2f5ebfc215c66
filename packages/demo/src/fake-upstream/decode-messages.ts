/**
 * A Messages API body as a model request. Refuses what the real service refuses, in its
 * words, so that a client's mistake shows here and not first in production. Pure.
 */
import type { AssistantPart, ContentPart, HistoryMessage, ModelRequest, ToolResultPart } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import { BadBodyError, list, toSpec } from './decode-body.ts'

export function decodeMessages(body: JsonObject): ModelRequest {
  const model = asString(body['model'])
  if (!model) throw new BadBodyError('model: Field required')
  const messages = list(body['messages'], 'messages')
  if (messages.length === 0) throw new BadBodyError('messages: at least one message is required')
  const system = toText(body['system'])
  return {
    model,
    ...(system === '' ? {} : { system }),
    messages: toHistory(messages),
    tools: list(body['tools'] ?? [], 'tools')
      .filter(tool => isObject(tool['input_schema']))
      .map(tool => toSpec(tool['name'], tool['description'], tool['input_schema'])),
    ...toChoice(body['tool_choice']),
    ...(asNumber(body['max_tokens']) === undefined ? {} : { max_tokens: Number(body['max_tokens']) }),
    options: body,
  }
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(block => (isObject(block) ? (asString(block['text']) ?? '') : '')).join('\n')
}

function toHistory(messages: readonly JsonObject[]): readonly HistoryMessage[] {
  const history: HistoryMessage[] = []
  let open: ReadonlyMap<string, string> = new Map()
  messages.forEach((message, place) => {
    const blocks = toBlocks(message['content'], place)
    const results = blocks.filter(block => block['type'] === 'tool_result')
    checkPairs(open, results, place)
    if (message['role'] === 'assistant') {
      history.push(toAssistant(blocks, place))
      open = callsOf(blocks)
      return
    }
    if (results.length > 0)
      history.push({ role: 'tool', results: results.map(block => toResult(block, open)) })
    const content = blocks.filter(block => block['type'] !== 'tool_result').flatMap(toContent)
    if (content.length > 0) history.push({ role: message['role'] === 'system' ? 'system' : 'user', content })
    open = new Map()
  })
  if (open.size > 0) throw unanswered([...open.keys()], messages.length - 1)
  return history
}

function toBlocks(content: unknown, place: number): readonly JsonObject[] {
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : list(content, `messages.${place}.content`)
  if (blocks.length === 0)
    throw new BadBodyError(`messages.${place}: all messages must have non-empty content`)
  if (blocks.some(block => block['type'] === 'text' && String(block['text']).trim() === ''))
    throw new BadBodyError('messages: text content blocks must contain non-whitespace text')
  return blocks
}

function checkPairs(open: ReadonlyMap<string, string>, results: readonly JsonObject[], place: number): void {
  const answered = new Set(results.map(block => String(block['tool_use_id'])))
  const missing = [...open.keys()].filter(id => !answered.has(id))
  if (missing.length > 0) throw unanswered(missing, place - 1)
  const orphan = [...answered].find(id => !open.has(id))
  if (orphan !== undefined)
    throw new BadBodyError(
      `messages.${place}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    )
}

const unanswered = (ids: readonly string[], place: number): BadBodyError =>
  new BadBodyError(
    `messages.${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )

const callsOf = (blocks: readonly JsonObject[]): ReadonlyMap<string, string> =>
  new Map(
    blocks.flatMap(block =>
      block['type'] === 'tool_use' ? [[String(block['id']), String(block['name'])]] : [],
    ),
  )

function toAssistant(blocks: readonly JsonObject[], place: number): HistoryMessage {
  return {
    role: 'assistant',
    message_id: `msg_${place}`,
    provider: 'fake',
    model: 'fake',
    content: blocks.map(toAssistantPart),
  }
}

function toAssistantPart(block: JsonObject): AssistantPart {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: String(block['text']) }
    case 'thinking':
      return { type: 'thinking', thinking: String(block['thinking']), signature: String(block['signature']) }
    case 'tool_use':
      return {
        type: 'tool_use',
        call_id: String(block['id']),
        name: String(block['name']),
        input_text: JSON.stringify(block['input'] ?? {}),
      }
    default:
      return { type: 'provider', kind: 'provider_tool_result', data: block }
  }
}

function toResult(block: JsonObject, calls: ReadonlyMap<string, string>): ToolResultPart {
  const call_id = String(block['tool_use_id'])
  const content = Array.isArray(block['content']) ? block['content'].filter(isObject).flatMap(toContent) : []
  return {
    type: 'tool_result',
    call_id,
    name: calls.get(call_id) ?? '',
    output_text: toText(block['content']),
    content,
    is_error: block['is_error'] === true,
  }
}

function toContent(block: JsonObject): readonly ContentPart[] {
  if (block['type'] === 'text') return [{ type: 'text', text: String(block['text']) }]
  if ((block['type'] === 'image' || block['type'] === 'document') && isObject(block['source']))
    return [
      { type: block['type'], source: block['source'] as Extract<ContentPart, { type: 'image' }>['source'] },
    ]
  return []
}

function toChoice(raw: unknown): Pick<ModelRequest, 'tool_choice' | 'parallel_tool_calls'> {
  if (!isObject(raw)) return {}
  const parallel = raw['disable_parallel_tool_use'] === true ? { parallel_tool_calls: false } : {}
  if (raw['type'] === 'tool') return { tool_choice: { type: 'tool', name: String(raw['name']) }, ...parallel }
  if (raw['type'] === 'any' || raw['type'] === 'none')
    return { tool_choice: { type: raw['type'] }, ...parallel }
  return parallel
}
