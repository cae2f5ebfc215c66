/** A model request as the AI SDK's call options. Pure but for the signal it passes on. */
import type { ContentPart, ModelRequest, ToolResultPart } from '@toolwire/core'
import { asNumber, isObject, type JsonObject, parseArguments } from '../shared/json.ts'
import { toWireSchema } from '../shared/tool-schema.ts'
import { type AssistantTurnPart, type Turn, toConversation, type UserPart } from '../shared/turns.ts'

/** `own` is the provider whose thinking may go back to it. */
export function toCallOptions(
  request: ModelRequest,
  own: string,
  signal: AbortSignal,
): Readonly<Record<string, unknown>> {
  const keep = (part: AssistantTurnPart): boolean =>
    part.type === 'thinking'
      ? part.provider === own
      : part.type !== 'provider' && part.type !== 'redacted_thinking'
  const { system, turns } = toConversation(request.messages, { keep })
  const instructions = [request.system ?? '', ...system].filter(text => text.trim() !== '')
  const options = request.options ?? {}
  return {
    prompt: [
      ...instructions.map(content => ({ role: 'system', content })),
      ...turns.flatMap(turn =>
        turn.role === 'user' ? toUserMessages(turn) : [toAssistantMessage(turn.content)],
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

function toUserMessages(turn: Extract<Turn, { role: 'user' }>): readonly unknown[] {
  const tool = turn.results.length > 0 ? [{ role: 'tool', content: turn.results.map(toResult) }] : []
  const user = turn.content.length > 0 ? [{ role: 'user', content: turn.content.map(toUserPart) }] : []
  return [...tool, ...user]
}

function toUserPart(part: UserPart): unknown {
  if (part.type === 'system') return { type: 'text', text: `<system>\n${part.text}\n</system>` }
  return part.type === 'text' ? { type: 'text', text: part.text } : toFile(part)
}

function toFile(part: Exclude<ContentPart, { type: 'text' }>): unknown {
  const { source } = part
  if (source.type === 'text') return { type: 'text', text: source.data }
  const mediaType = source.media_type ?? `${part.type === 'document' ? 'application' : part.type}/*`
  return { type: 'file', mediaType, data: source.type === 'url' ? new URL(source.url) : source.data }
}

function toResult(result: ToolResultPart): unknown {
  const value = result.output_text
  const output = result.is_error ? { type: 'error-text', value } : { type: 'text', value }
  return { type: 'tool-result', toolCallId: result.call_id, toolName: result.name, output }
}

function toAssistantMessage(parts: readonly AssistantTurnPart[]): unknown {
  return { role: 'assistant', content: parts.flatMap(toAssistantPart) }
}

function toAssistantPart(part: AssistantTurnPart): readonly unknown[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [{ type: 'text', text: part.text }]
    case 'thinking':
      return [{ type: 'reasoning', text: part.thinking, ...signed(part) }]
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          toolCallId: part.call_id,
          toolName: part.name,
          input: parseArguments(part.input_text),
        },
      ]
    case 'redacted_thinking':
    case 'provider':
      return []
  }
}

/** What the provider attached to its thinking travels in the signature, as JSON. */
function signed(part: Extract<AssistantTurnPart, { type: 'thinking' }>): {
  readonly providerOptions?: unknown
} {
  const options = part.signature === undefined ? {} : parseArguments(part.signature)
  return Object.keys(options).length > 0 ? { providerOptions: options } : {}
}
