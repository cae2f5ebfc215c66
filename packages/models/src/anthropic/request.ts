/**
 * A model request as a body of the Messages API. Pure, and stable: a session that grows
 * repeats the bytes of its earlier requests, so that the provider's prompt cache can serve them.
 */
import type { ModelRequest, ToolSpec, Warning } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { createNameMap, type NameMap } from '../shared/legal-names.ts'
import { namesIn } from '../shared/request-names.ts'
import { rememberTurns } from '../shared/stable-messages.ts'
import { toStrictSchema } from '../shared/strict-schema.ts'
import { toWireSchema } from '../shared/tool-schema.ts'
import { type AssistantTurnPart, type Turn, toConversation } from '../shared/turns.ts'
import { markCache } from './cache-marks.ts'
import { splitSystem, toAssistantBlocks, toUserBlocks } from './history.ts'
import { jsonAnswerTool, withJsonAnswer } from './json-answer.ts'
import { toSettings } from './options.ts'
import type { Message, MessagesBody, TextBlock, ToolChoiceParam, ToolDefinition } from './schema.ts'
import { withThinking } from './thinking.ts'
import { anthropicWarnings } from './warnings.ts'

export const PROVIDER = 'anthropic'
const MAX_NAME = 128
const EMPTY_SCHEMA = { type: 'object', properties: {} }
const DEFAULT_MAX_TOKENS = 32_000

export interface AnthropicRequest {
  readonly body: MessagesBody
  readonly names: NameMap
  /** Its arguments are the answer. */
  readonly answer_tool?: ToolDefinition
  /** A sentence why the provider would refuse this request; nothing is sent then. */
  readonly refusal?: string
  /** Requested features that the body omits. */
  readonly warnings: readonly Warning[]
}

export function toAnthropicRequest(
  request: ModelRequest,
  capability: Capability | undefined,
  provider = PROVIDER,
): AnthropicRequest {
  const names = createNameMap(namesIn(request), MAX_NAME)
  const { system, turns } = toConversation(request.messages, { keep: returnRule(provider) })
  const last = turns.length - 1
  const setting = { names, boundary: request.boundary, midSystem: capability?.mid_system === true }
  const messages = turns.flatMap((turn, place) =>
    turn.role === 'assistant' && place === last
      ? [{ role: turn.role, content: toAssistantBlocks(turn.content, names, true) } as const]
      : toMessages(turn, setting),
  )
  const max_tokens = request.max_tokens ?? capability?.max_output ?? DEFAULT_MAX_TOKENS
  const { options = {} } = withThinking(request, capability)
  const settings = toSettings(options, capability, { max_tokens, canThink: canThink(messages) })
  const tools = toTools(request, names, capability)
  const tool_choice = toToolChoice(request, names, tools.length > 0)
  const plain: MessagesBody = {
    model: request.model,
    max_tokens: Math.max(1, Math.round(max_tokens)),
    stream: true,
    ...toSystem(request.system, system),
    messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(tool_choice ? { tool_choice } : {}),
    ...settings,
  }
  const answer_tool = jsonAnswerTool(request, capability)
  const body = markCache(
    withJsonAnswer(plain, answer_tool),
    request.options?.['cache_ttl'] === '1h' ? '1h' : undefined,
  )
  const refusal = refuse(body, turns, capability)
  const warnings = anthropicWarnings(request, body, capability)
  return {
    body,
    names,
    warnings,
    ...(answer_tool ? { answer_tool } : {}),
    ...(refusal === undefined ? {} : { refusal }),
  }
}

type ReturnRule = (part: AssistantTurnPart) => boolean
/** One function for each provider: caches of turns rely on it. */
const rules = new Map<string, ReturnRule>()

function returnRule(provider: string): ReturnRule {
  const rule = rules.get(provider) ?? (part => isReturnable(part, provider))
  rules.set(provider, rule)
  return rule
}

/** Thinking needs the provider's own signature, and provider blocks only make sense to their provider. */
function isReturnable(part: AssistantTurnPart, provider: string): boolean {
  switch (part.type) {
    case 'thinking':
      return part.provider === provider && Boolean(part.signature)
    case 'redacted_thinking':
    case 'provider':
      return part.provider === provider && isObject(part.data) && typeof part.data['type'] === 'string'
    case 'text':
    case 'refusal':
    case 'tool_use':
      return true
  }
}

/** Messages of a turn that is not the one to continue. */
const toMessages = rememberTurns<Message>((turn, { names, boundary, midSystem = false }) =>
  turn.role === 'user'
    ? toUserMessages(turn, boundary, midSystem)
    : [{ role: turn.role, content: toAssistantBlocks(turn.content, names, false) }],
)

function toUserMessages(
  turn: Extract<Turn, { role: 'user' }>,
  boundary: string | undefined,
  midSystem: boolean,
): readonly Message[] {
  const { said, system } = midSystem ? splitSystem(turn) : { said: turn, system: [] }
  const user: Message = { role: 'user', content: toUserBlocks(said, boundary) }
  return system.length > 0 ? [user, { role: 'system', content: system }] : [user]
}

function toSystem(
  own: string | undefined,
  more: readonly string[],
): { readonly system?: readonly TextBlock[] } {
  const texts = [own ?? '', ...more].filter(text => text.trim() !== '')
  return texts.length > 0 ? { system: texts.map(text => ({ type: 'text', text })) } : {}
}

function toTools(
  request: ModelRequest,
  names: NameMap,
  capability: Capability | undefined,
): readonly (ToolDefinition | JsonObject)[] {
  const eager = request.options?.['eager_input_streaming']
  const isEager = (name: string): boolean => eager === true || (Array.isArray(eager) && eager.includes(name))
  const offered = [
    ...request.tools.map(tool => toTool(tool, names, capability, isEager(tool.name))),
    ...providerTools(request),
  ]
  if (offered.length > 0) return offered
  // The provider rejects a history with calls unless tools are declared; these cannot be called.
  const known = new Map((request.past_tools ?? []).map(tool => [tool.name, tool]))
  return [...new Set(namesIn(request))].map(name =>
    toTool(known.get(name) ?? { name, input_schema: EMPTY_SCHEMA }, names, capability, false),
  )
}

/** Tools that the provider runs itself, as its API defines them: `{"type": "web_search_20250305", "name": "web_search"}`. */
function providerTools(request: ModelRequest): readonly JsonObject[] {
  const given = request.options?.['provider_tools']
  return Array.isArray(given) ? given.filter(isObject).filter(tool => typeof tool['type'] === 'string') : []
}

/** Definitions of tools that need nothing of their request; a spec never changes. */
const plainTools = new WeakMap<ToolSpec, ToolDefinition>()

function toTool(
  tool: ToolSpec,
  names: NameMap,
  capability: Capability | undefined,
  eager: boolean,
): ToolDefinition {
  if (eager || tool.strict || names.toWire(tool.name) !== tool.name)
    return define(tool, names, capability, eager)
  const known = plainTools.get(tool) ?? define(tool, names, capability, eager)
  plainTools.set(tool, known)
  return known
}

function define(
  tool: ToolSpec,
  names: NameMap,
  capability: Capability | undefined,
  eager: boolean,
): ToolDefinition {
  const { schema, note } = toWireSchema(tool.input_schema)
  const description = [tool.description ?? '', note ?? ''].filter(text => text !== '').join('\n\n')
  const isStrict = tool.strict && note === undefined && capability?.strict !== false
  const strict = isStrict ? toStrictSchema(schema) : undefined
  return {
    name: names.toWire(tool.name),
    ...(description === '' ? {} : { description }),
    input_schema: strict ?? schema,
    ...(strict ? { strict: true } : {}),
    ...(eager ? { eager_input_streaming: true } : {}),
  }
}

function toToolChoice(request: ModelRequest, names: NameMap, hasTools: boolean): ToolChoiceParam | undefined {
  if (!hasTools) return undefined
  if (request.tools.length === 0 && providerTools(request).length === 0) return { type: 'none' }
  const choice = request.tool_choice
  const single = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  if (!choice) return request.parallel_tool_calls === false ? { type: 'auto', ...single } : undefined
  if (choice.type === 'tool') return { type: 'tool', name: names.toWire(choice.name), ...single }
  if (choice.type === 'none') return { type: 'none' }
  return { type: choice.type, ...single }
}

/**
 * With a thinking budget, an unfinished tool loop must start with signed thinking. One that another model started
 * cannot, so the turn continues without thinking.
 */
function canThink(messages: readonly Message[]): boolean {
  const at = messages.findLastIndex(message => message.role !== 'system')
  const last = messages[at]
  const isLoop = last?.role === 'user' && last.content.some(block => block.type === 'tool_result')
  if (!isLoop) return true
  const first = messages.slice(0, at).findLast(message => message.role !== 'system')?.content[0]?.type
  return first === 'thinking' || first === 'redacted_thinking'
}

function refuse(
  body: MessagesBody,
  turns: readonly Turn[],
  capability: Capability | undefined,
): string | undefined {
  const forced = body.tool_choice?.type === 'any' || body.tool_choice?.type === 'tool'
  const thinks = body.thinking !== undefined && body.thinking['type'] !== 'disabled'
  if (forced && thinks)
    return 'tool_choice cannot force a tool while thinking is enabled; drop one of the two.'
  if (body.messages.length === 0) return 'There is nothing to answer: the history holds no message.'
  const last = turns.at(-1)
  const isPrefill = last?.role === 'assistant' && !last.content.some(part => part.type === 'provider')
  if (isPrefill && capability?.prefill === false)
    return `${body.model} does not continue an answer that was begun for it; end the history with a user message.`
  return undefined
}
