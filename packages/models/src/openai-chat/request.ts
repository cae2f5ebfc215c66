/** A model request as a body of the Chat Completions API. Pure; every body it makes has its calls answered in order. */
import type { HostedSearch, ModelRequest, ToolSpec, Warning } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { createNameMap, type NameMap } from '../shared/legal-names.ts'
import { providerSearch, searchWarnings } from '../shared/provider-search.ts'
import { namesIn } from '../shared/request-names.ts'
import { ignoredSettings, toolWarnings } from '../shared/setting-warnings.ts'
import { rememberTurns } from '../shared/stable-messages.ts'
import { toWireSchema } from '../shared/tool-schema.ts'
import { toConversation } from '../shared/turns.ts'
import { toAssistantMessage, toUserMessages } from './history.ts'
import { type ChatOrigin, createChatOrigin } from './origin.ts'
import { effortWarnings, withReasoning } from './reasoning.ts'
import type { ChatBody, ChatMessage, FunctionTool } from './schema.ts'

const MAX_NAME = 64

export interface ChatRequest {
  readonly body: ChatBody
  readonly names: NameMap
  /** Requested features that the body omits. */
  readonly warnings: readonly Warning[]
  readonly isEmpty: boolean
}

export interface ChatRules {
  readonly capability?: Capability | undefined
  /** OpenAI's own endpoint renamed `max_tokens`; other servers only know the old name. */
  readonly isOfficial: boolean
  /** The provider searches the web for the model. */
  readonly webSearch?: boolean | undefined
  /** The provider and model whose opaque data goes back; OpenAI's when absent. */
  readonly origin?: ChatOrigin
}

const OPENAI = createChatOrigin({ provider: 'openai', model: '' })

export function toChatRequest(request: ModelRequest, rules: ChatRules): ChatRequest {
  const { origin = OPENAI } = rules
  const names = createNameMap(namesIn(request), MAX_NAME)
  const { system, turns } = toConversation(request.messages, origin)
  const instructions = [request.system ?? '', ...system].filter(text => text.trim() !== '')
  const messages: readonly ChatMessage[] = [
    ...instructions.map(content => ({ role: 'system', content }) as const),
    ...turns.flatMap(turn => toMessages(turn, { names, boundary: undefined, origin })),
  ]
  const tools = request.tools.map(tool => toTool(tool, names))
  const { options = {} } = withReasoning(request, rules.capability)
  const settings = toSettings(options, rules.capability)
  return {
    names,
    isEmpty: turns.length === 0,
    warnings: [
      ...ignoredSettings(WARNED, request.options ?? {}, settings),
      ...toolWarnings(request, () => true),
      ...effortWarnings(request, rules.capability),
      ...searchWarnings(request, rules.webSearch),
    ],
    body: {
      ...settings,
      model: request.model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      ...(tools.length > 0 ? { tools, ...toChoice(request, names) } : {}),
      ...maxTokens(request.max_tokens, rules.isOfficial),
      ...toSearch(request, rules),
    },
  }
}

const toMessages = rememberTurns<ChatMessage, ChatOrigin>((turn, { names, origin = OPENAI }) =>
  turn.role === 'user' ? toUserMessages(turn) : [toAssistantMessage(turn.content, names, origin)],
)

function toTool(tool: ToolSpec, names: NameMap): FunctionTool {
  const { schema, note } = toWireSchema(tool.input_schema)
  const description = [tool.description ?? '', note ?? ''].filter(text => text !== '').join('\n\n')
  return {
    type: 'function',
    function: {
      name: names.toWire(tool.name),
      ...(description === '' ? {} : { description }),
      parameters: schema,
      ...(tool.strict && note === undefined ? { strict: true } : {}),
    },
  }
}

function toChoice(
  request: ModelRequest,
  names: NameMap,
): Pick<ChatBody, 'tool_choice' | 'parallel_tool_calls'> {
  const choice = request.tool_choice
  const parallel = request.parallel_tool_calls === false ? { parallel_tool_calls: false } : {}
  if (!choice) return parallel
  if (choice.type === 'tool')
    return { tool_choice: { type: 'function', function: { name: names.toWire(choice.name) } }, ...parallel }
  return { tool_choice: choice.type === 'any' ? 'required' : choice.type, ...parallel }
}

function toSearch(request: ModelRequest, { webSearch }: ChatRules): JsonObject {
  const search = providerSearch(request, { canSearch: webSearch, api: 'openai-chat' }, toSearchOptions)
  return search ? { web_search_options: search } : {}
}

/** This API has no filters. */
function toSearchOptions({ context_size, user_location }: HostedSearch): JsonObject {
  return {
    ...(context_size === undefined ? {} : { search_context_size: context_size }),
    ...(user_location === undefined
      ? {}
      : { user_location: { type: 'approximate', approximate: user_location } }),
  }
}

function maxTokens(max: number | undefined, isOfficial: boolean): JsonObject {
  if (max === undefined) return {}
  const tokens = Math.max(1, Math.round(max))
  return isOfficial ? { max_completion_tokens: tokens } : { max_tokens: tokens }
}

const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logit_bias'] as const
/** Dropped by capability, or known to the other vendor alone. */
const WARNED = [...SAMPLING, 'top_k', 'thinking', 'reasoning_effort'] as const
const OTHERS = ['seed', 'response_format', 'service_tier', 'user', 'verbosity'] as const

function toSettings(options: JsonObject, capability: Capability | undefined): JsonObject {
  const names: readonly string[] = capability?.sampling === false ? OTHERS : [...SAMPLING, ...OTHERS]
  const settings = Object.fromEntries(
    names.flatMap(name =>
      options[name] === undefined || options[name] === null ? [] : [[name, options[name]]],
    ),
  )
  const stop = options['stop'] ?? options['stop_sequences']
  const config = isObject(options['output_config']) ? options['output_config'] : {}
  const effort = options['reasoning_effort'] ?? options['effort'] ?? config['effort']
  return {
    ...toResponseFormat(config['format']),
    ...settings,
    ...(stop === undefined || stop === null ? {} : { stop }),
    ...(effort === undefined || capability?.effort === false ? {} : { reasoning_effort: effort }),
    // Whatever a particular server needs beyond the standard.
    ...(isObject(options['extra_body']) ? options['extra_body'] : {}),
  }
}

/** The other vendor's setting for the form of an answer. */
function toResponseFormat(format: unknown): JsonObject {
  if (!isObject(format) || format['type'] !== 'json_schema' || !isObject(format['schema'])) return {}
  const json_schema = { name: 'answer', schema: format['schema'] }
  return { response_format: { type: 'json_schema', json_schema } }
}
