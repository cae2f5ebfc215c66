/** Input items of a Responses request as messages, calls and results. Pure but for the warnings. */
import { AppError, type AssistantPart, type ContentPart, type ToolResultPart } from '@toolwire/core'
import { withoutEmpty } from '../gateway/empty-text.ts'
import type { ReceivedMessage } from '../gateway/pair-results.ts'
import type { Warnings } from '../gateway/warning.ts'
import { readContent } from './input-content.ts'
import type { LooseItem } from './request-schema.ts'
import { flatName, isItem } from './tools.ts'

/** Log name of thinking and calls that a client brings itself. */
const PROVIDER = 'openai'

export interface InputReading {
  readonly messages: readonly ReceivedMessage[]
  /** Tools that the conversation itself declares. */
  readonly tools: readonly LooseItem[]
}

/** Throws `bad_request` with the place of the item that is wrong. */
export function readItems(items: readonly LooseItem[], warnings: Warnings): InputReading {
  const messages: ReceivedMessage[] = []
  const tools: LooseItem[] = []
  let parts: AssistantPart[] = []
  let position = ''
  const flush = (): void => {
    if (parts.length > 0)
      messages.push({ role: 'assistant', provider: PROVIDER, content: parts, place: position })
    parts = []
  }
  for (const [index, item] of items.entries()) {
    const at = `input.${index}`
    const read = readItem(item, at, warnings)
    if (read.assistant) {
      if (parts.length === 0) position = at
      parts = [...parts, ...read.assistant]
      continue
    }
    flush()
    messages.push(...(read.messages ?? []))
    tools.push(...(read.tools ?? []))
  }
  flush()
  return { messages, tools }
}

interface ItemReading {
  /** Output of the model; items that follow each other are one message. */
  readonly assistant?: readonly AssistantPart[]
  readonly messages?: readonly ReceivedMessage[]
  readonly tools?: readonly LooseItem[]
}

function readItem(item: LooseItem, at: string, warnings: Warnings): ItemReading {
  switch (item['type'] ?? 'message') {
    case 'message':
      return readMessage(item, at, warnings)
    case 'function_call':
    case 'custom_tool_call':
    case 'tool_search_call':
      return { assistant: [readCall(item, at, warnings)] }
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'tool_search_output':
      return readOutput(item, at)
    case 'reasoning':
      return { assistant: readReasoning(item) }
    case 'additional_tools':
      return { tools: Array.isArray(item['tools']) ? item['tools'].filter(isItem) : [] }
    case 'agent_message':
      return readMessage({ ...item, role: 'user' }, at, warnings)
    case 'item_reference':
      throw new AppError('bad_request', `${at}: no item has the id ${JSON.stringify(item['id'])}`)
    default:
      warnings.add(
        'item_ignored',
        `${at}: items of the type ${JSON.stringify(item['type'])} are not read here; it is left out.`,
      )
      return {}
  }
}

function readMessage(item: LooseItem, at: string, warnings: Warnings): ItemReading {
  const { role } = item
  if (role === 'assistant') return { assistant: readAssistant(item['content'], at) }
  if (role !== 'user' && role !== 'system' && role !== 'developer')
    throw new AppError('bad_request', `${at}.role: user, assistant, system or developer`)
  const content = withoutEmpty(readContent(item['content'], `${at}.content`), at, warnings)
  if (content.length === 0) return {}
  return { messages: [{ role: role === 'user' ? 'user' : 'system', content, place: at }] }
}

function readAssistant(content: unknown, at: string): readonly AssistantPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw new AppError('bad_request', `${at}.content: expected a text or a list`)
  return content.flatMap((part: unknown): readonly AssistantPart[] => {
    if (!isItem(part)) return []
    const { text, refusal } = part
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }]
    return typeof refusal === 'string' && refusal !== '' ? [{ type: 'refusal', text: refusal }] : []
  })
}

function readReasoning(item: LooseItem): readonly AssistantPart[] {
  const texts = [item['summary'], item['content']].flatMap(list =>
    Array.isArray(list)
      ? list.flatMap((part: unknown) =>
          isItem(part) && typeof part['text'] === 'string' ? [part['text']] : [],
        )
      : [],
  )
  const thinking = texts.filter(text => text !== '').join('\n\n')
  return thinking === '' ? [] : [{ type: 'thinking', thinking }]
}

function readCall(item: LooseItem, at: string, warnings: Warnings): AssistantPart {
  const call_id = idOf(item, at)
  const { namespace, name = 'tool_search' } = item
  if (typeof name !== 'string' || name === '')
    throw new AppError('bad_request', `${at}.name: expected a name`)
  const flat = flatName(typeof namespace === 'string' && namespace !== '' ? namespace : undefined, name)
  return { type: 'tool_use', call_id, name: flat, input_text: argumentsOf(item, at, warnings) }
}

/** As the client sends them; text that is no JSON object is wrapped, so that no provider fails on it. */
function argumentsOf(item: LooseItem, at: string, warnings: Warnings): string {
  const { arguments: sent, input } = item
  if (item['type'] === 'custom_tool_call')
    return JSON.stringify({ input: typeof input === 'string' ? input : '' })
  if (isItem(sent)) return JSON.stringify(sent)
  if (typeof sent !== 'string' || sent.trim() === '') return '{}'
  if (isObjectText(sent)) return sent
  warnings.add('arguments_wrapped', `${at}: the arguments are no JSON object; they are passed on as text.`)
  return JSON.stringify({ _raw: sent })
}

function isObjectText(text: string): boolean {
  try {
    return isItem(JSON.parse(text))
  } catch {
    return false
  }
}

function idOf(item: LooseItem, at: string): string {
  const { call_id } = item
  if (typeof call_id === 'string' && call_id !== '' && call_id.length <= 256) return call_id
  throw new AppError('bad_request', `${at}.call_id: expected the id of a call`)
}

function readOutput(item: LooseItem, at: string): ItemReading {
  const call_id = idOf(item, at)
  const tools = Array.isArray(item['tools']) ? item['tools'].filter(isItem) : []
  const content: readonly ContentPart[] =
    item['type'] === 'tool_search_output'
      ? [{ type: 'text', text: JSON.stringify(tools) }]
      : readContent(item['output'] ?? '', `${at}.output`)
  const output_text = content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const hasMedia = content.some(part => part.type !== 'text')
  const result: ToolResultPart = {
    type: 'tool_result',
    call_id,
    name: '',
    output_text,
    content: hasMedia ? content : [],
    is_error: false,
  }
  return { messages: [{ role: 'result', result, place: at }], ...(tools.length > 0 ? { tools } : {}) }
}
