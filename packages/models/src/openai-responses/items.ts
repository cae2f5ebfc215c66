/** Turns as input items of the Responses API. Pure. */
import type { ContentPart, InlinePart, ToolResultPart, ToolSpec } from '@toolwire/core'
import { asString, isObject, leftOutNote, parseJson, toInline } from '@toolwire/core'
import { audioFormat } from '../shared/audio-format.ts'
import type { NameMap } from '../shared/legal-names.ts'
import type { AssistantTurnPart, Turn, UserPart } from '../shared/turns.ts'
import type { InputContent, InputItem, OwnItem } from './schema.ts'

export interface ItemRules {
  readonly names: NameMap
  /** Tools whose calls are plain text. */
  readonly freeform: ReadonlySet<string>
}

/** Outputs of calls first, then the user's messages; instructions in the middle stay where they are. */
export function toUserItems(
  turn: Extract<Turn, { role: 'user' }>,
  { freeform }: ItemRules,
): readonly InputItem[] {
  return [...turn.results.map(result => toOutput(result, freeform)), ...toMessages(turn.content)]
}

function toOutput(result: ToolResultPart, freeform: ReadonlySet<string>): InputItem {
  const type = freeform.has(result.name) ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id: result.call_id, output: outputOf(result) }
}

function outputOf(result: ToolResultPart): string | readonly InputContent[] {
  const text = result.output_text.trim() === '' ? '' : result.output_text
  if (result.is_error) return `[error] ${text || 'The call failed.'}`
  const media = result.content.filter(part => part.type !== 'text')
  if (media.length === 0) return text || '(no output)'
  return [...(text === '' ? [] : [{ type: 'input_text', text } as const]), ...media.map(toContent)]
}

function toMessages(parts: readonly UserPart[]): readonly InputItem[] {
  const items: InputItem[] = []
  let content: InputContent[] = []
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role: 'user', content })
    content = []
  }
  for (const part of parts) {
    if (part.type === 'system') {
      flush()
      items.push(toDeveloperItem(part.text))
    } else content.push(toContent(part))
  }
  flush()
  return items
}

export const toDeveloperItem = (text: string): InputItem => ({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text }],
})

function toContent(content: ContentPart): InputContent {
  const part = toInline(content)
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  const { source, title } = part
  if (source.type === 'text')
    return { type: 'input_text', text: title ? `${title}:\n${source.data}` : source.data }
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  if (part.type === 'image') return { type: 'input_image', image_url: url, detail: 'auto' }
  if (part.type === 'audio') return toAudio(part, source)
  if (source.type === 'url')
    return { type: 'input_file', ...(title ? { filename: title } : {}), file_url: url }
  return { type: 'input_file', filename: title ?? 'document.pdf', file_data: url }
}

type MediaSource = Exclude<Exclude<InlinePart, { type: 'text' }>['source'], { type: 'text' }>

function toAudio(part: Exclude<InlinePart, { type: 'text' }>, source: MediaSource): InputContent {
  if (source.type === 'url') return { type: 'input_text', text: `${part.title ?? 'audio'}: ${source.url}` }
  const format = audioFormat(source.media_type)
  if (!format)
    return { type: 'input_text', text: leftOutNote(part, 'this model takes audio as MP3 and WAV alone').text }
  return { type: 'input_audio', input_audio: { data: source.data, format } }
}

/** The items of an assistant's turn, in the order in which the model wrote them. */
export const toAssistantItems = (
  parts: readonly AssistantTurnPart[],
  rules: ItemRules,
): readonly InputItem[] => parts.flatMap(part => toAssistantItem(part, rules))

function toAssistantItem(part: AssistantTurnPart, rules: ItemRules): readonly InputItem[] {
  switch (part.type) {
    case 'text':
      return [
        {
          type: 'message',
          role: 'assistant',
          ...phaseOf(part),
          content: [{ type: 'output_text', text: part.text, annotations: [] }],
        },
      ]
    case 'refusal':
      return [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: part.text }] }]
    case 'tool_use':
      return [toCall(part, rules)]
    case 'thinking':
    case 'redacted_thinking':
      return isOwnItem(part.opaque?.data) ? [part.opaque.data] : []
    case 'provider':
      return isOwnItem(part.data) ? [part.data] : []
  }
}

export const isOwnItem = (value: unknown): value is OwnItem =>
  isObject(value) && typeof value['type'] === 'string'

const dataOf = ({ opaque }: AssistantTurnPart): Readonly<Record<string, unknown>> =>
  isObject(opaque?.data) ? opaque.data : {}

function phaseOf(part: AssistantTurnPart): { readonly phase?: string } {
  const phase = asString(dataOf(part)['phase'])
  return phase === undefined ? {} : { phase }
}

type CallPart = Extract<AssistantTurnPart, { type: 'tool_use' }>

function toCall(part: CallPart, { names, freeform }: ItemRules): InputItem {
  const { call_id } = part
  const name = names.toWire(part.name)
  if (freeform.has(part.name)) return { type: 'custom_tool_call', call_id, name, input: toInput(part) }
  const namespace = asString(dataOf(part)['namespace'])
  return {
    type: 'function_call',
    call_id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: toArguments(part.input_text),
  }
}

/** The text of a freeform call; arguments that are not in its wrapper are the text. */
function toInput({ input_text }: CallPart): string {
  const value = parseJson(input_text)
  return (isObject(value) ? asString(value['input']) : undefined) ?? input_text
}

/** As the model wrote them. Servers parse the arguments of the history and reject non-objects, so those are quoted. */
function toArguments(input_text: string): string {
  if (input_text.trim() === '') return '{}'
  return isObject(parseJson(input_text)) ? input_text : JSON.stringify({ _raw: input_text })
}

/** Names of the tools whose calls are plain text. */
export const freeformNames = (tools: readonly ToolSpec[]): ReadonlySet<string> =>
  new Set(tools.flatMap(tool => (tool.freeform ? [tool.name] : [])))
