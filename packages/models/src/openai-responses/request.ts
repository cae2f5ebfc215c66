/** A model request as a body of the Responses API. Pure; every body it makes has its calls answered in order. */
import type {
  AssistantPart,
  HistoryMessage,
  HostedSearch,
  ModelRequest,
  ToolSpec,
  Warning,
} from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import { conversationOf } from '../shared/conversation.ts'
import { wantedLevel } from '../shared/effort.ts'
import { createNameMap, type NameMap } from '../shared/legal-names.ts'
import { providerSearch, searchWarnings } from '../shared/provider-search.ts'
import { namesIn } from '../shared/request-names.ts'
import { toolWarnings } from '../shared/setting-warnings.ts'
import { toWireSchema } from '../shared/tool-schema.ts'
import { type AssistantTurnPart, toConversation } from '../shared/turns.ts'
import { freeformNames, isOwnItem, toAssistantItems, toDeveloperItem, toUserItems } from './items.ts'
import type { ResponsesRules } from './rules.ts'
import type { InputItem, ResponsesBody, ResponsesTool } from './schema.ts'
import { settingWarnings, toSettings } from './settings.ts'

/** Log name of items that clients of this API bring themselves. */
const CLIENT = 'openai'
const MAX_NAME = 64
/** OpenAI rejects a smaller limit. */
const MIN_OUTPUT = 16

export interface ResponsesRequest {
  readonly body: ResponsesBody
  readonly names: NameMap
  readonly freeform: ReadonlySet<string>
  /** Parts of the request that the body leaves out. */
  readonly warnings: readonly Warning[]
  readonly isEmpty: boolean
}

export function toResponsesRequest(request: ModelRequest, rules: ResponsesRules): ResponsesRequest {
  const names = createNameMap(namesIn(request), MAX_NAME)
  const freeform = freeformNames([...request.tools, ...(request.past_tools ?? [])])
  const canReturn = (part: AssistantTurnPart): boolean => isReturnable(part, request.model, rules)
  const messages = request.messages.map(message => withoutLooseThinking(message, canReturn))
  const { system, turns } = toConversation(messages, { keep: canReturn })
  const [instructions, ...later] = [request.system ?? '', ...system].filter(text => text.trim() !== '')
  const input: readonly InputItem[] = [
    ...later.map(toDeveloperItem),
    ...turns.flatMap(turn =>
      turn.role === 'user'
        ? toUserItems(turn, { names, freeform })
        : toAssistantItems(turn.content, { names, freeform }),
    ),
  ]
  const level = wantedLevel(request, rules.capability)
  const options = { ...request.options, ...(level === undefined ? {} : { reasoning_effort: level }) }
  const settings = toSettings(options, rules)
  const tools = [...request.tools.map(tool => toTool(tool, names)), ...hostedTools(request, rules)]
  return {
    names,
    freeform,
    isEmpty: input.length === 0,
    warnings: [
      ...settingWarnings(options, settings),
      ...toolWarnings(request, () => true),
      ...searchWarnings(request, rules.webSearch),
    ],
    body: {
      prompt_cache_key: conversationOf(request),
      ...settings,
      model: request.model,
      ...(instructions === undefined ? {} : { instructions }),
      input,
      stream: true,
      store: false,
      include: [
        'reasoning.encrypted_content',
        ...(tools.some(isWebSearch) ? ['web_search_call.action.sources'] : []),
      ],
      ...(tools.length > 0 ? { tools, ...toChoice(request, names, freeform) } : {}),
      ...maxTokens(request.max_tokens, rules.isOfficial),
    },
  }
}

/** The body without what a provider may refuse to decrypt. */
export function withoutReasoning(body: ResponsesBody): ResponsesBody {
  return { ...body, input: body.input.filter(item => item.type !== 'reasoning') }
}

const isWebSearch = (tool: ResponsesTool): boolean =>
  typeof tool.type === 'string' && tool.type.startsWith('web_search')

/** Thinking and the provider's own items go back to the provider and model that they came from, and to no other. */
function isReturnable(part: AssistantTurnPart, model: string, rules: ResponsesRules): boolean {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'tool_use':
      return true
    case 'provider':
      return part.provider === rules.provider || part.provider === CLIENT
    case 'thinking':
    case 'redacted_thinking': {
      const { opaque } = part
      if (opaque?.provider !== (rules.reasoningOf ?? rules.provider)) return false
      if (opaque.model !== undefined && opaque.model !== model) return false
      return isResolvable(opaque.data, rules.isOfficial)
    }
  }
}

/** OpenAI stores nothing of ours, so only encrypted reasoning means something to it; other servers read the text. */
function isResolvable(item: unknown, isOfficial: boolean): boolean {
  if (!isObject(item) || item['type'] !== 'reasoning') return false
  if (typeof item['encrypted_content'] === 'string' && item['encrypted_content'] !== '') return true
  return (
    !isOfficial && [item['content'], item['summary']].some(list => Array.isArray(list) && list.length > 0)
  )
}

/** Reasoning must be followed by the item that it led to: reasoning at the end of a message is left out. */
function withoutLooseThinking(
  message: HistoryMessage,
  canReturn: (part: AssistantTurnPart) => boolean,
): HistoryMessage {
  if (message.role !== 'assistant') return message
  const { provider, content } = message
  const end = content.findLastIndex(
    part => !isThinking(part) && isSent(part) && canReturn({ ...part, provider }),
  )
  if (!content.some((part, at) => at > end && isThinking(part))) return message
  return { ...message, content: content.filter((part, at) => at <= end || !isThinking(part)) }
}

const isThinking = (part: AssistantPart): boolean =>
  part.type === 'thinking' || part.type === 'redacted_thinking'

const isSent = (part: AssistantPart): boolean =>
  part.type === 'text' || part.type === 'refusal'
    ? part.text.trim() !== ''
    : part.type !== 'provider' || isOwnItem(part.data)

function toTool(tool: ToolSpec, names: NameMap): ResponsesTool {
  const name = names.toWire(tool.name)
  if (tool.freeform) {
    const { format } = tool.freeform
    return {
      type: 'custom',
      name,
      ...(tool.description ? { description: tool.description } : {}),
      ...(format === undefined ? {} : { format }),
    }
  }
  const { schema, note } = toWireSchema(tool.input_schema)
  const description = [tool.description ?? '', note ?? ''].filter(text => text !== '').join('\n\n')
  return {
    type: 'function',
    name,
    ...(description === '' ? {} : { description }),
    parameters: schema,
    strict: tool.strict === true && note === undefined,
  }
}

/** Tools that the provider runs. */
function hostedTools(request: ModelRequest, { webSearch }: ResponsesRules): readonly ResponsesTool[] {
  const search = providerSearch(request, { canSearch: webSearch, api: 'openai-responses' }, toSearchTool)
  return search ? [search] : []
}

function toSearchTool({ allowed_domains = [], blocked_domains = [], ...more }: HostedSearch): JsonObject {
  const { context_size, user_location } = more
  const filters = {
    ...(allowed_domains.length > 0 ? { allowed_domains } : {}),
    ...(blocked_domains.length > 0 ? { blocked_domains } : {}),
  }
  return {
    type: 'web_search',
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(context_size === undefined ? {} : { search_context_size: context_size }),
    ...(user_location === undefined ? {} : { user_location }),
  }
}

function toChoice(
  request: ModelRequest,
  names: NameMap,
  freeform: ReadonlySet<string>,
): Pick<ResponsesBody, 'tool_choice' | 'parallel_tool_calls'> {
  const choice = request.tool_choice
  const parallel = { parallel_tool_calls: request.parallel_tool_calls !== false }
  if (!choice) return parallel
  if (choice.type !== 'tool')
    return { tool_choice: choice.type === 'any' ? 'required' : choice.type, ...parallel }
  const type = freeform.has(choice.name) ? 'custom' : 'function'
  return { tool_choice: { type, name: names.toWire(choice.name) }, ...parallel }
}

function maxTokens(max: number | undefined, isOfficial: boolean): { readonly max_output_tokens?: number } {
  if (max === undefined) return {}
  return { max_output_tokens: Math.max(isOfficial ? MIN_OUTPUT : 1, Math.round(max)) }
}
