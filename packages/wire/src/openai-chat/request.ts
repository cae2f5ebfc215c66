/** A Chat Completions request in canonical words. Pure: no clock, no ids but those that positions give. */
import {
  AppError,
  type AssistantPart,
  type ContentPart,
  type HostedSearch,
  isObject,
  parseBoundedJson,
  type ToolResultPart,
  type ToolSpec,
} from '@toolwire/core'
import { readCacheWish } from '../gateway/cache-request.ts'
import type { DecodeOptions } from '../gateway/decode-options.ts'
import { toEcho } from '../gateway/echo.ts'
import { withoutEmpty } from '../gateway/empty-text.ts'
import type { GatewayRequest } from '../gateway/gateway-request.ts'
import { warnIgnoredFields } from '../gateway/ignored-fields.ts'
import { modelFamily } from '../gateway/model-family.ts'
import { pairResults, type ReceivedMessage } from '../gateway/pair-results.ts'
import { searchOption, toHostedSearch } from '../gateway/search-request.ts'
import { createWarnings, type Warnings } from '../gateway/warning.ts'
import { parseBody } from '../shared/parse-body.ts'
import { addCallIds } from './call-ids.ts'
import { KNOWN_FIELDS } from './known-fields.ts'
import type { RequestMessage } from './message-schema.ts'
import { toSettings } from './options.ts'
import { ChatRequest } from './request-schema.ts'
import { toVisible } from './visible.ts'

export interface ChatGatewayRequest extends GatewayRequest {
  readonly include_usage: boolean
  /** The request brought `functions`: answer in the same dialect. */
  readonly legacy: boolean
  /** The answer is to be JSON. */
  readonly json: boolean
}

const PROVIDER = 'openai'

/** Throws `bad_request` whose message begins with the field that is wrong. */
export function decodeCompletionRequest(body: unknown, decode: DecodeOptions = {}): ChatGatewayRequest {
  const request = parseBody(ChatRequest, body)
  const warnings = createWarnings(decode.strict ?? false)
  const family = modelFamily(request.model ?? decode.model ?? '')
  const messages = addCallIds(request.messages)
  if (messages.every(message => message.role === 'system' || message.role === 'developer'))
    throw new AppError('bad_request', 'messages: there is nothing to answer, only instructions')
  const sent = createReader(warnings)(messages)
  const legacy = usesFunctions(request)
  const last = messages.findLastIndex(message => message.role === 'assistant')
  const { history, tail } = pairResults(jsonInWords(request, family, sent), warnings)
  if (tail.type === 'continue' && history.every(message => message.role === 'system'))
    throw new AppError('bad_request', 'messages: there is nothing to answer, every message is empty')
  const assistant = sent.findLast(message => message.role === 'assistant')
  warnIgnoredFields(body, KNOWN_FIELDS, warnings)
  const cache_ttl = readCacheWish(body, warnings)
  const { client_tools, options } = toSettings(request, family, decode, warnings)
  return {
    client_tools,
    options: {
      ...options,
      ...searchOption(toSearch(request, client_tools, decode, warnings)),
      ...(cache_ttl ? { cache_ttl } : {}),
    },
    model: request.model,
    stream: request.stream ?? false,
    include_usage: request.stream_options?.include_usage ?? false,
    legacy,
    json: /^json_/.test(request.response_format?.type ?? ''),
    history,
    tail,
    visible: messages.map(message => () => toVisible(message)),
    answered: last + 1,
    echo: tools => toEcho(sent, tools),
    has_instructions: sent.some(message => message.role === 'system'),
    said: messages.length - 1 - messages.findLastIndex(message => message.role !== 'user'),
    calls: assistant?.role === 'assistant' ? callsOf(assistant.content) : [],
    results: sent.flatMap(message => (message.role === 'result' ? [message.result.call_id] : [])),
    by_name: messages[last]?.role === 'assistant' && Boolean(messages[last].function_call),
    session_id: textOf(request.metadata?.['session_id']),
    user: request.user ?? undefined,
    server_tools: textOf(request.metadata?.['server_tools'])
      ?.split(',')
      .map(name => name.trim()),
    warnings: warnings.list,
  }
}

/** The location is nested here. */
function toSearch(
  { web_search_options: asked, model }: ChatRequest,
  tools: readonly ToolSpec[],
  decode: DecodeOptions,
  warnings: Warnings,
): HostedSearch | undefined {
  if (!asked) return undefined
  const { user_location: location } = asked
  const where = isObject(location) && isObject(location['approximate']) ? location['approximate'] : undefined
  const tool = { ...asked, ...(where ? { user_location: { type: 'approximate', ...where } } : {}) }
  const taken = tools.map(({ name }) => name)
  const at = 'web_search_options'
  const search = { service: decode.search?.(model), api: 'openai-chat', at, taken, declared: asked }
  return toHostedSearch(tool, search, warnings)
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const usesFunctions = (request: ChatRequest): boolean =>
  Boolean(request.functions) ||
  (!request.tools && request.messages.some(message => message.role === 'assistant' && message.function_call))

const callsOf = (content: readonly AssistantPart[]): GatewayRequest['calls'] =>
  content.flatMap(part => (part.type === 'tool_use' ? [{ call_id: part.call_id, name: part.name }] : []))

/** Asks for JSON where no setting can: a word at the head of the conversation. */
function jsonInWords(
  request: ChatRequest,
  family: string,
  sent: readonly ReceivedMessage[],
): readonly ReceivedMessage[] {
  if (request.response_format?.type !== 'json_object' || family === 'openai') return sent
  const text = 'Answer with one JSON object and nothing else.'
  return [{ role: 'system', content: [{ type: 'text', text }], place: 'response_format' }, ...sent]
}

/** Reads messages in order; calls and results of the old dialect get ids by their position. */
function createReader(
  warnings: Warnings,
): (messages: readonly RequestMessage[]) => readonly ReceivedMessage[] {
  let functions = 0
  const waiting: { readonly id: string; readonly name: string }[] = []

  function assistant(
    message: Extract<RequestMessage, { role: 'assistant' }>,
    place: string,
  ): ReceivedMessage {
    const calls = (message.tool_calls ?? []).map(call => ({ id: call.id, ...call.function }))
    if (message.function_call) {
      const call = { id: `call_fn_${functions++}`, ...message.function_call }
      waiting.push(call)
      calls.push(call)
    }
    const content: AssistantPart[] = [
      ...(message.reasoning_content
        ? [{ type: 'thinking', thinking: message.reasoning_content } as const]
        : []),
      ...(message.content === '' ? [] : [{ type: 'text', text: message.content } as const]),
      ...(message.refusal ? [{ type: 'refusal', text: message.refusal } as const] : []),
      ...calls.map(call => toCall(call, place, warnings)),
    ]
    return { role: 'assistant', provider: PROVIDER, content, place }
  }

  function legacyResult(
    message: Extract<RequestMessage, { role: 'function' }>,
    place: string,
  ): ReceivedMessage {
    const index = waiting.findLastIndex(call => call.name === message.name)
    const call = index === -1 ? undefined : waiting.splice(index, 1)[0]
    const call_id = call?.id ?? `call_fn_unknown_${message.name}`
    return { role: 'result', result: toResult(call_id, message.name, message.content, false), place }
  }

  function read(message: RequestMessage, index: number): readonly ReceivedMessage[] {
    const place = `messages.${index}`
    switch (message.role) {
      case 'system':
      case 'developer':
        return said('system', message.content, place, warnings)
      case 'user':
        return said('user', message.content, place, warnings)
      case 'assistant':
        return [assistant(message, place)]
      case 'tool': {
        const result = toResult(message.tool_call_id ?? '', '', message.content, message.is_error ?? false)
        return [{ role: 'result', result, place }]
      }
      case 'function':
        return [legacyResult(message, place)]
    }
  }
  return messages => messages.flatMap(read)
}

/** Empty texts say nothing, and providers refuse them. */
function said(
  role: 'user' | 'system',
  content: readonly ContentPart[],
  place: string,
  warnings: Warnings,
): readonly ReceivedMessage[] {
  const kept = withoutEmpty(content, place, warnings)
  return kept.length > 0 ? [{ role, content: kept, place }] : []
}

type RequestedCall = { readonly id: string; readonly name: string; readonly arguments: string }

/** Arguments are kept as sent; those that are no JSON object are wrapped, so that no provider chokes on them. */
function toCall(call: RequestedCall, place: string, warnings: Warnings): AssistantPart {
  const base = { type: 'tool_use', call_id: call.id, name: call.name } as const
  if (call.arguments.trim() === '') return { ...base, input_text: '{}' }
  if (isObject(parseBoundedJson(call.arguments))) return { ...base, input_text: call.arguments }
  warnings.add(
    'arguments_wrapped',
    `${place}: the arguments of the call ${call.id} are no JSON object; they are passed on as text.`,
  )
  return { ...base, input_text: JSON.stringify({ _raw: call.arguments }) }
}

function toResult(
  call_id: string,
  name: string,
  content: readonly ContentPart[],
  is_error: boolean,
): ToolResultPart {
  const output_text = content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const media = content.some(part => part.type !== 'text')
  return { type: 'tool_result', call_id, name, output_text, content: media ? content : [], is_error }
}
