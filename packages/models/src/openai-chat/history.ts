/** Turns as chat messages: results as tool messages first, then what was said. Pure. */
import type { ContentPart, ToolResultPart } from '@toolwire/core'
import { isObject, leftOutNote, parseJson, toInline } from '@toolwire/core'
import { audioFormat } from '../shared/audio-format.ts'
import type { NameMap } from '../shared/legal-names.ts'
import type { AssistantTurnPart, Turn, UserPart } from '../shared/turns.ts'
import { type ChatOrigin, callExtras, messageExtras } from './origin.ts'
import type { ChatMessage, ToolCallParam, UserContentPart } from './schema.ts'

export function toUserMessages(turn: Extract<Turn, { role: 'user' }>): readonly ChatMessage[] {
  const results = turn.results.map(toToolMessage)
  // Tool messages hold text alone, so images follow as a user message.
  const shown = turn.results.flatMap(result => mediaOf(result))
  const said = [...shown, ...turn.content]
  return [...results, ...splitSystem(said)]
}

function toToolMessage(result: ToolResultPart): ChatMessage {
  const media = result.content.some(part => part.type !== 'text') ? ['[attached below]'] : []
  const text = [result.output_text, ...media].filter(line => line.trim() !== '').join('\n')
  return {
    role: 'tool',
    tool_call_id: result.call_id,
    content: result.is_error ? `[error] ${text || 'The call failed.'}` : text || '(no output)',
  }
}

function mediaOf(result: ToolResultPart): readonly UserPart[] {
  const media = result.is_error ? [] : result.content.filter(part => part.type !== 'text')
  return media.length === 0
    ? []
    : [{ type: 'text', text: `Output of ${result.name} (${result.call_id}):` }, ...media]
}

/** A system message in the middle stays where it was said. */
function splitSystem(parts: readonly UserPart[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  let said: ContentPart[] = []
  const flush = (): void => {
    if (said.length > 0) messages.push({ role: 'user', content: toContent(said) })
    said = []
  }
  for (const part of parts) {
    if (part.type === 'system') {
      flush()
      messages.push({ role: 'system', content: part.text })
    } else said.push(part)
  }
  flush()
  return messages
}

function toContent(parts: readonly ContentPart[]): string | readonly UserContentPart[] {
  const first = parts[0]
  // Small servers only take strings; most messages are one.
  if (parts.length === 1 && first?.type === 'text') return first.text
  return parts.map(toPart)
}

function toPart(content: ContentPart): UserContentPart {
  const part = toInline(content)
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source, title } = part
  if (source.type === 'text') return { type: 'text', text: title ? `${title}:\n${source.data}` : source.data }
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  if (part.type === 'image') return { type: 'image_url', image_url: { url } }
  if (source.type === 'url') return { type: 'text', text: `${title ?? part.type}: ${source.url}` }
  if (part.type === 'audio') {
    const format = audioFormat(source.media_type)
    if (!format) return leftOutNote(part, 'this model takes audio as MP3 and WAV alone')
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  }
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: url } }
}

/** Thinking and opaque data go back to their own provider, `origin`. */
export function toAssistantMessage(
  parts: readonly AssistantTurnPart[],
  names: NameMap,
  origin: ChatOrigin,
): Extract<ChatMessage, { role: 'assistant' }> {
  const text = parts.map(part => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
  const calls = parts
    .filter(part => part.type === 'tool_use')
    .map((part, n) => ({ ...toCall(part, names), ...callExtras(part, origin, n === 0) }))
  const thinking = parts
    .map(part => (part.type === 'thinking' && part.provider === origin.provider ? part.thinking : ''))
    .join('')
  const extras = messageExtras(parts, origin)
  const isRepeated = 'reasoning_details' in extras
  return {
    role: 'assistant',
    // A message of neither text nor calls (thinking alone) is refused with null.
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(thinking !== '' && calls.length > 0 && !isRepeated ? { reasoning_content: thinking } : {}),
    ...extras,
  }
}

function toCall(part: Extract<AssistantTurnPart, { type: 'tool_use' }>, names: NameMap): ToolCallParam {
  return {
    id: part.call_id,
    type: 'function',
    function: { name: names.toWire(part.name), arguments: toArguments(part.input_text) },
  }
}

/** As they were written. Servers parse the arguments of the history and fail on what is no object, so that is quoted. */
function toArguments(input_text: string): string {
  if (input_text.trim() === '') return '{}'
  return isObject(parseJson(input_text)) ? input_text : JSON.stringify({ _raw: input_text })
}
