/**
 * A Responses body as a model request. Refuses unanswered and orphaned calls, reasoning without the item that it led to,
 * and reasoning that it did not encrypt, as the real service does. Pure.
 */
import type { AssistantPart, ContentPart, HistoryMessage, ModelRequest, ToolResultPart } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import { BadBodyError, list, toSpec } from './decode-body.ts'

export function decodeResponses(body: JsonObject): ModelRequest {
  const model = asString(body['model'])
  if (!model) throw new BadBodyError("Missing required parameter: 'model'.")
  const input =
    typeof body['input'] === 'string'
      ? [{ type: 'message', role: 'user', content: body['input'] }]
      : list(body['input'], 'input')
  if (input.length === 0) throw new BadBodyError("Missing required parameter: 'input'.")
  const max = asNumber(body['max_output_tokens'])
  const system = asString(body['instructions'])
  return {
    model,
    ...(system === undefined ? {} : { system }),
    messages: toHistory(input),
    tools: list(body['tools'] ?? [], 'tools').flatMap(toTool),
    ...toChoice(body['tool_choice']),
    ...(body['parallel_tool_calls'] === false ? { parallel_tool_calls: false } : {}),
    ...(max === undefined ? {} : { max_tokens: max }),
    options: toOptions(body),
  }
}

/** Settings that models look for under the names of Chat Completions. */
function toOptions(body: JsonObject): JsonObject {
  const text = isObject(body['text']) ? body['text'] : {}
  const format = isObject(text['format']) ? text['format'] : undefined
  if (format?.['type'] !== 'json_schema') return format ? { ...body, response_format: format } : body
  const { type: _, ...json_schema } = format
  return { ...body, response_format: { type: 'json_schema', json_schema } }
}

export const freeformIn = (body: JsonObject): ReadonlySet<string> =>
  new Set(
    (Array.isArray(body['tools']) ? body['tools'] : []).flatMap(tool =>
      isObject(tool) && tool['type'] === 'custom' ? [String(tool['name'])] : [],
    ),
  )

const FREEFORM = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
} as const

function toTool(tool: JsonObject): readonly ReturnType<typeof toSpec>[] {
  if (tool['type'] === 'function') return [toSpec(tool['name'], tool['description'], tool['parameters'])]
  if (tool['type'] === 'custom') return [toSpec(tool['name'], tool['description'], FREEFORM)]
  return []
}

interface HistoryReader {
  readonly history: HistoryMessage[]
  open: Map<string, string>
  results: ToolResultPart[]
  parts: AssistantPart[]
}

function toHistory(items: readonly JsonObject[]): readonly HistoryMessage[] {
  const reading: HistoryReader = { history: [], open: new Map(), results: [], parts: [] }
  for (const [position, item] of items.entries())
    readItem(reading, item, { position, following: items[position + 1] })
  settle(reading)
  return reading.history
}

interface ItemPosition {
  readonly position: number
  readonly following: JsonObject | undefined
}

function readItem(reading: HistoryReader, item: JsonObject, { position, following }: ItemPosition): void {
  switch (item['type'] ?? 'message') {
    case 'message':
      readMessage(reading, item)
      break
    case 'reasoning':
      checkReasoning(item, position, following)
      turnToAssistant(reading)
      break
    case 'function_call':
    case 'custom_tool_call':
      readCall(reading, item)
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      readOutput(reading, item)
      break
    default:
      throw new BadBodyError(`Invalid value: '${String(item['type'])}'. (input[${position}])`)
  }
}

function readCall(reading: HistoryReader, item: JsonObject): void {
  turnToAssistant(reading)
  const call_id = String(item['call_id'])
  const name = String(item['name'])
  const custom = asString(item['input'])
  const input_text =
    custom === undefined ? (asString(item['arguments']) ?? '') : JSON.stringify({ input: custom })
  reading.parts.push({ type: 'tool_use', call_id, name, input_text })
  reading.open.set(call_id, name)
}

function readMessage(reading: HistoryReader, item: JsonObject): void {
  const content = toContent(item['content'])
  if (item['role'] === 'assistant') {
    turnToAssistant(reading)
    reading.parts.push(...(content.filter(part => part.type === 'text') as readonly AssistantPart[]))
    return
  }
  settle(reading)
  const isSystem = item['role'] === 'system' || item['role'] === 'developer'
  reading.history.push({ role: isSystem ? 'system' : 'user', content })
}

/** The assistant's items follow its calls only when all of these are answered. */
function turnToAssistant(reading: HistoryReader): void {
  if (reading.results.length > 0) settle(reading)
}

function settle(reading: HistoryReader): void {
  if (reading.parts.length > 0)
    reading.history.push({
      role: 'assistant',
      message_id: `msg_${reading.history.length}`,
      provider: 'fake',
      model: 'fake',
      content: reading.parts,
    })
  reading.parts = []
  const [missing] = reading.open.keys()
  if (missing !== undefined) throw new BadBodyError(`No tool output found for function call ${missing}.`)
  if (reading.results.length > 0) reading.history.push({ role: 'tool', results: reading.results })
  reading.results = []
}

function readOutput(reading: HistoryReader, item: JsonObject): void {
  const call_id = asString(item['call_id']) ?? ''
  const name = reading.open.get(call_id)
  if (name === undefined)
    throw new BadBodyError(`No tool call found for function call output with call_id ${call_id}.`)
  reading.open.delete(call_id)
  const content = toContent(item['output'])
  const output_text = content.map(part => (part.type === 'text' ? part.text : '')).join('')
  reading.results.push({
    type: 'tool_result',
    call_id,
    name,
    output_text,
    content: content.filter(part => part.type !== 'text'),
    is_error: output_text.startsWith('[error]'),
  })
}

function checkReasoning(item: JsonObject, position: number, following: JsonObject | undefined): void {
  const id = String(item['id'])
  if (!Array.isArray(item['summary']))
    throw new BadBodyError(`Missing required parameter: 'input[${position}].summary'.`)
  if (following === undefined || !isModelItem(following))
    throw new BadBodyError(
      `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    )
  const sealed = asString(item['encrypted_content'])
  if (sealed === undefined)
    throw new BadBodyError(
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`,
    )
  if (!sealed.startsWith('enc_')) throw new UndecryptableError()
}

/** The body is refused with the code `invalid_encrypted_content`. */
export class UndecryptableError extends BadBodyError {
  override readonly name = 'BadBodyError'
  constructor() {
    super('The encrypted content could not be verified. Reason: Encrypted content could not be decrypted.')
  }
}

const isModelItem = (item: JsonObject): boolean =>
  item['role'] === 'assistant' ||
  ['reasoning', 'function_call', 'custom_tool_call'].includes(String(item['type']))

function toContent(content: unknown): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return list(content ?? [], 'content').flatMap((part): ContentPart[] => {
    const text = asString(part['text']) ?? asString(part['refusal'])
    if (text !== undefined) return [{ type: 'text', text }]
    const url = asString(part['image_url'])
    return url === undefined ? [] : [{ type: 'image', source: { type: 'url', url } }]
  })
}

function toChoice(raw: unknown): Pick<ModelRequest, 'tool_choice'> {
  if (raw === 'required') return { tool_choice: { type: 'any' } }
  if (raw === 'none') return { tool_choice: { type: 'none' } }
  if (isObject(raw) && typeof raw['name'] === 'string')
    return { tool_choice: { type: 'tool', name: raw['name'] } }
  return {}
}
