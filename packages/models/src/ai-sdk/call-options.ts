/** A model request as the AI SDK's call options. Pure but for the signal it passes on. */
import {
  asNumber,
  type InlinePart,
  isObject,
  type JsonObject,
  type ModelRequest,
  parseArguments,
  systemNotice,
  type ToolResultPart,
  toInline,
} from '@toolwire/core'
import { toWireSchema } from '../shared/tool-schema.ts'
import { type AssistantTurnPart, type Turn, toConversation, type UserPart } from '../shared/turns.ts'
import { fromFileData, isFileData } from './file-data.ts'

/** The SDK's model that a request is for. */
export interface BridgeTarget {
  /** The provider whose thinking and metadata may go back to it. */
  readonly provider: string
  /** Specification 3 takes the data of a file as it is, 4 takes it with a tag. */
  readonly isTagged: boolean
}

export function toCallOptions(
  request: ModelRequest,
  target: BridgeTarget,
  signal: AbortSignal,
): Readonly<Record<string, unknown>> {
  const keep = (part: AssistantTurnPart): boolean => isReturnable(part, target)
  const { system, turns } = toConversation(request.messages, { keep })
  const instructions = [request.system ?? '', ...system].filter(text => text.trim() !== '')
  const options = request.options ?? {}
  return {
    prompt: [
      ...instructions.map(content => ({ role: 'system', content })),
      ...turns.flatMap(turn =>
        turn.role === 'user'
          ? toUserMessages(turn, target, request.boundary)
          : [toAssistantMessage(turn.content, target)],
      ),
    ],
    ...(request.max_tokens === undefined ? {} : { maxOutputTokens: request.max_tokens }),
    ...toSettings(options),
    ...toReasoning(options),
    ...(isObject(options['provider_options']) ? { providerOptions: options['provider_options'] } : {}),
    ...(request.tools.length > 0 ? { tools: request.tools.map(toTool), toolChoice: toChoice(request) } : {}),
    abortSignal: signal,
  }
}

/** Thinking and files go back to the provider that made them, and to no other. */
function isReturnable(part: AssistantTurnPart, { provider }: BridgeTarget): boolean {
  if (part.type === 'thinking') return part.provider === provider
  if (part.type === 'provider') return part.provider === provider && isFileData(part.data)
  return part.type !== 'redacted_thinking'
}

const NUMBERS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  seed: 'seed',
}

/** By the SDK's names; its provider says itself which of them it does not take. */
function toSettings(options: JsonObject): JsonObject {
  const numbers = Object.entries(NUMBERS).flatMap(([ours, theirs]) =>
    asNumber(options[ours]) === undefined ? [] : [[theirs, options[ours]] as const],
  )
  const given = options['stop'] ?? options['stop_sequences']
  const stops = (Array.isArray(given) ? given : [given]).filter(stop => typeof stop === 'string')
  return {
    ...Object.fromEntries(numbers),
    ...(stops.length > 0 ? { stopSequences: stops } : {}),
    ...toResponseFormat(options['response_format']),
  }
}

const EFFORTS: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

function toReasoning(options: JsonObject): JsonObject {
  const effort = options['effort'] ?? options['reasoning_effort']
  return EFFORTS.has(effort) ? { reasoning: effort } : {}
}

function toResponseFormat(given: unknown): JsonObject {
  if (!isObject(given) || (given['type'] !== 'json_object' && given['type'] !== 'json_schema')) return {}
  const form = isObject(given['json_schema']) ? given['json_schema'] : {}
  const { schema, name, description } = form
  return {
    responseFormat: {
      type: 'json',
      ...(isObject(schema) ? { schema } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof description === 'string' ? { description } : {}),
    },
  }
}

function toTool(tool: ModelRequest['tools'][number]): unknown {
  const { schema, note } = toWireSchema(tool.input_schema)
  const description = [tool.description ?? '', note ?? ''].filter(text => text !== '').join('\n\n')
  return {
    type: 'function',
    name: tool.name,
    ...(description === '' ? {} : { description }),
    inputSchema: schema,
    // A provider that cannot hold the model to it says so.
    ...(tool.strict && note === undefined ? { strict: true } : {}),
  }
}

function toChoice(request: ModelRequest): unknown {
  const choice = request.tool_choice
  if (choice?.type === 'tool') return { type: 'tool', toolName: choice.name }
  return { type: choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto') }
}

function toUserMessages(
  turn: Extract<Turn, { role: 'user' }>,
  target: BridgeTarget,
  boundary: string | undefined,
): readonly unknown[] {
  const results = turn.results.map(result => toResult(result, target))
  const content = turn.content.map(part => toUserPart(part, target, boundary))
  const tool = results.length > 0 ? [{ role: 'tool', content: results }] : []
  const user = content.length > 0 ? [{ role: 'user', content }] : []
  return [...tool, ...user]
}

function toUserPart(part: UserPart, target: BridgeTarget, boundary: string | undefined): unknown {
  if (part.type === 'system') return { type: 'text', text: systemNotice(part.text, boundary) }
  const inline = toInline(part)
  return inline.type === 'text' ? { type: 'text', text: inline.text } : toFile(inline, target)
}

type MediaPart = Exclude<InlinePart, { type: 'text' }>

function toFile(part: MediaPart, { isTagged }: BridgeTarget): unknown {
  const { source, title } = part
  if (source.type === 'text') return { type: 'text', text: source.data }
  const mediaType = mediaTypeOf(part)
  const named = title === undefined ? {} : { filename: title }
  if (source.type === 'url') {
    const url = new URL(source.url)
    return { type: 'file', mediaType, data: isTagged ? { type: 'url', url } : url, ...named }
  }
  const data = isTagged ? { type: 'data', data: source.data } : source.data
  return { type: 'file', mediaType, data, ...named }
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
])

/** Some packages take no address without an exact type, so it is read from the file's name where one has it. */
function mediaTypeOf({ type, source }: MediaPart): string {
  const path = source.type === 'url' ? (URL.parse(source.url)?.pathname ?? '') : ''
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return source.media_type ?? TYPES.get(ending) ?? `${type === 'document' ? 'application' : type}/*`
}

function toResult(result: ToolResultPart, target: BridgeTarget): unknown {
  const value = result.output_text
  const media = result.is_error
    ? []
    : result.content.flatMap(part => (part.type === 'text' ? [] : [toResultFile(toInline(part), target)]))
  const text = value.trim() === '' ? [] : [{ type: 'text', text: value }]
  const output =
    media.length > 0
      ? { type: 'content', value: [...text, ...media] }
      : result.is_error
        ? { type: 'error-text', value }
        : { type: 'text', value }
  return { type: 'tool-result', toolCallId: result.call_id, toolName: result.name, output }
}

/** Specification 3 has one type for every form of a file in a result. */
function toResultFile(part: InlinePart, target: BridgeTarget): unknown {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source } = part
  if (target.isTagged || source.type === 'text') return toFile(part, target)
  const kind = part.type === 'image' ? 'image' : 'file'
  if (source.type === 'url') return { type: `${kind}-url`, url: source.url }
  return { type: `${kind}-data`, data: source.data, mediaType: mediaTypeOf(part) }
}

function toAssistantMessage(parts: readonly AssistantTurnPart[], target: BridgeTarget): unknown {
  return { role: 'assistant', content: parts.flatMap(part => toAssistantPart(part, target)) }
}

function toAssistantPart(part: AssistantTurnPart, target: BridgeTarget): readonly unknown[] {
  const attached = attachedTo(part, target)
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [{ type: 'text', text: part.text, ...attached }]
    case 'thinking':
      return [{ type: 'reasoning', text: part.thinking, ...signed(part), ...attached }]
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          toolCallId: part.call_id,
          toolName: part.name,
          input: parseArguments(part.input_text),
          ...attached,
        },
      ]
    case 'provider':
      return isFileData(part.data) ? [{ ...fromFileData(part.data, target.isTagged), ...attached }] : []
    case 'redacted_thinking':
      return []
  }
}

/** Metadata of the provider goes back with the part that it came with, and to no other provider. */
function attachedTo({ opaque }: AssistantTurnPart, { provider }: BridgeTarget): JsonObject {
  return opaque?.provider === provider && isObject(opaque.data) ? { providerOptions: opaque.data } : {}
}

/** Thinking of earlier versions carries its metadata in the signature, as JSON. */
function signed(part: Extract<AssistantTurnPart, { type: 'thinking' }>): JsonObject {
  const options = part.signature === undefined ? {} : parseArguments(part.signature)
  return Object.keys(options).length > 0 ? { providerOptions: options } : {}
}
