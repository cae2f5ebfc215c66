/** The messages of a session as items of the Responses API. An item's id is its position in the history. Pure. */
import type { AssistantPart, ContentPart, HistoryMessage, ToolResultPart } from '@toolwire/core'
import { endedItem, startedItem } from './call-items.ts'
import type { OutputItem } from './response.ts'
import type { CallType, ToolForm } from './tools.ts'

type NewItem = Readonly<Record<string, unknown>> & { readonly type: string }

/** Position 0 is before every run, so that these ids never meet those of output items. */
const toId = (prefix: string, session: string, position: number): string =>
  `${prefix}_${session}_0_${position}`

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'cto',
}

export function toHistoryItems(
  messages: readonly HistoryMessage[],
  session: string,
  forms: Readonly<Record<string, ToolForm>> = {},
): readonly OutputItem[] {
  return messages
    .flatMap(message => toItems(message, forms))
    .map((item, position) => ({ ...item, id: toId(PREFIXES[item.type] ?? 'item', session, position) }))
}

function toItems(message: HistoryMessage, forms: Readonly<Record<string, ToolForm>>): readonly NewItem[] {
  if (message.role === 'tool') return message.results.map(result => toOutput(result, forms))
  if (message.role === 'assistant') return message.content.flatMap(part => toAssistantItem(part, forms))
  const { role, content } = message
  return [{ type: 'message', status: 'completed', role, content: content.map(toInput) }]
}

function toAssistantItem(part: AssistantPart, forms: Readonly<Record<string, ToolForm>>): readonly NewItem[] {
  const message = (content: object): NewItem => ({
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [content],
  })
  switch (part.type) {
    case 'text':
      return [message({ type: 'output_text', text: part.text, annotations: [], logprobs: [] })]
    case 'refusal':
      return [message({ type: 'refusal', refusal: part.text })]
    case 'thinking':
      return [
        {
          type: 'reasoning',
          summary: part.thinking === '' ? [] : [{ type: 'summary_text', text: part.thinking }],
        },
      ]
    case 'tool_use': {
      const { call_id, name, input_text } = part
      const kind = formOf(forms, name)
      const started = startedItem(kind, { id: '', call_id, name, form: forms[name] })
      return [endedItem(started, kind, input_text, true)]
    }
    case 'redacted_thinking':
    case 'provider':
      return []
  }
}

/** Other forms are listed as functions: the log does not keep the form of their outputs. */
function formOf(forms: Readonly<Record<string, ToolForm>>, name: string): CallType {
  return Object.hasOwn(forms, name) && forms[name]?.type === 'custom' ? 'custom' : 'function'
}

function toOutput(result: ToolResultPart, forms: Readonly<Record<string, ToolForm>>): NewItem {
  const { call_id, content, output_text, name } = result
  const type = formOf(forms, name) === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id, output: content.length > 0 ? content.map(toInput) : output_text }
}

function toInput(part: ContentPart): object {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  const { source } = part
  if (source.type === 'text') return { type: 'input_text', text: source.data }
  if (source.type === 'file')
    return part.type === 'image'
      ? { type: 'input_image', file_id: source.file_id, detail: 'auto' }
      : { type: 'input_file', file_id: source.file_id }
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  if (part.type === 'image') return { type: 'input_image', image_url: url, detail: 'auto' }
  if (part.type === 'audio' && source.type === 'base64') {
    const format = source.media_type === 'audio/mpeg' ? 'mp3' : 'wav'
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  }
  const filename = part.title === undefined ? {} : { filename: part.title }
  return { type: 'input_file', ...filename, [source.type === 'url' ? 'file_url' : 'file_data']: url }
}
