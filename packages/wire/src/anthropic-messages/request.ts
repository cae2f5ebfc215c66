/** A Messages request in canonical words. Pure. */
import { AppError, type AssistantPart, type ContentPart, type ToolChoice, writeJson } from '@toolwire/core'
import { readCacheWish } from '../gateway/cache-request.ts'
import type { DecodeOptions } from '../gateway/decode-options.ts'
import { toEcho } from '../gateway/echo.ts'
import { withoutEmpty } from '../gateway/empty-text.ts'
import { settleForced } from '../gateway/forced-tool.ts'
import type { GatewayRequest } from '../gateway/gateway-request.ts'
import { warnIgnoredFields } from '../gateway/ignored-fields.ts'
import { modelFamily } from '../gateway/model-family.ts'
import { pairResults, type ReceivedMessage } from '../gateway/pair-results.ts'
import { toStops } from '../gateway/stops.ts'
import { createWarnings, type Warnings } from '../gateway/warning.ts'
import { parseBody } from '../shared/parse-body.ts'
import { KNOWN_FIELDS } from './known-fields.ts'
import { MessagesRequest, type RequestMessage } from './request-schema.ts'
import { type RequestTools, readTools } from './request-tools.ts'
import { isOwnSearch } from './search-blocks.ts'
import { noteSearchResults } from './search-results.ts'
import { toVisible } from './visible.ts'

export interface MessagesGatewayRequest extends GatewayRequest {
  /** The answer that this request continues, with nothing but what is new in its messages. */
  readonly continues: string | undefined
}

const PROVIDER = 'anthropic'

/** Throws `bad_request` whose message begins with the field that is wrong. */
export function decodeMessagesRequest(body: unknown, decode: DecodeOptions = {}): MessagesGatewayRequest {
  const request = parseBody(MessagesRequest, body)
  const warnings = createWarnings(decode.strict ?? false)
  const continues = request.thread?.type === 'continue' ? request.thread.previous_message_id : undefined
  if (continues === undefined && !request.messages.some(message => message.role !== 'system'))
    throw new AppError('bad_request', 'messages: at least one message is required')
  const family = modelFamily(request.model ?? decode.model ?? '')
  const system = toSystem(request, family)
  const sent = request.messages.flatMap((message, index) => toSent(message, index, warnings))
  // Results of a continued answer belong to calls that the thread holds, not this request.
  const { history, tail } =
    continues === undefined ? pairResults([...system, ...sent], warnings) : toDelta(sent)
  const isEmpty = tail.type === 'continue' && history.every(message => message.role === 'system')
  if (isEmpty && continues === undefined)
    throw new AppError('bad_request', 'messages: there is nothing to answer, every message is empty')
  const last = request.messages.findLastIndex(message => message.role === 'assistant')
  const assistant = sent.findLast(message => message.role === 'assistant')
  const service = decode.search?.(request.model)
  const { client_tools, names, options } = readTools(request.tools, { family, service, warnings })
  warnIgnoredFields(body, KNOWN_FIELDS, warnings)
  noteSearchResults(body, warnings)
  const cache_ttl = readCacheWish(body, warnings)
  return {
    model: request.model,
    stream: request.stream ?? false,
    client_tools,
    options: {
      ...toOptions(request, { names, decode, warnings }),
      ...options,
      ...(cache_ttl ? { cache_ttl } : {}),
    },
    history,
    tail,
    visible: [
      () => JSON.stringify(system.map(message => message.content)),
      ...request.messages.map(message => () => toVisible(message)),
    ],
    answered: last === -1 ? 0 : last + 2,
    echo: tools => toEcho([...system, ...sent], tools),
    has_instructions: [...system, ...sent].some(message => message.role === 'system'),
    said: request.messages.length - 1 - request.messages.findLastIndex(message => message.role !== 'user'),
    calls: assistant?.role === 'assistant' ? callsOf(assistant.content) : [],
    results: sent.flatMap(message => (message.role === 'result' ? [message.result.call_id] : [])),
    by_name: false,
    session_id: textOf(request.metadata?.['session_id']),
    user: undefined,
    server_tools: textOf(request.metadata?.['server_tools'])
      ?.split(',')
      .map(name => name.trim()),
    continues,
    warnings: warnings.list,
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const callsOf = (content: readonly AssistantPart[]): GatewayRequest['calls'] =>
  content.flatMap(part => (part.type === 'tool_use' ? [{ call_id: part.call_id, name: part.name }] : []))

const BILLING = /^x-anthropic-billing-header:/

/** Each block stays a separate message; the billing line of one client means nothing to other providers. */
function toSystem(
  { system }: MessagesRequest,
  family: string,
): readonly Extract<ReceivedMessage, { role: 'system' | 'user' | 'assistant' }>[] {
  return (system ?? [])
    .filter(block => block.text.trim() !== '' && (family === 'anthropic' || !BILLING.test(block.text)))
    .map(block => ({ role: 'system', content: [{ type: 'text', text: block.text }], place: 'system' }))
}

function toSent(message: RequestMessage, index: number, warnings: Warnings): readonly ReceivedMessage[] {
  const place = `messages.${index}`
  switch (message.role) {
    case 'assistant': {
      const content = message.content.flatMap(block => toPart(block, place, warnings))
      return [{ role: 'assistant', provider: PROVIDER, content, place }]
    }
    case 'system':
      return [{ role: 'system', content: message.content, place }]
    case 'user':
      return toUser(message.content, place, warnings)
  }
}

type UserBlock = Extract<RequestMessage, { role: 'user' }>['content'][number]

function toUser(blocks: readonly UserBlock[], place: string, warnings: Warnings): readonly ReceivedMessage[] {
  const results = blocks.flatMap((block): readonly ReceivedMessage[] => {
    if (block.type !== 'tool_result') return []
    const { content } = block
    const output_text = content.map(part => (part.type === 'text' ? part.text : '')).join('\n')
    const media = content.some(part => part.type !== 'text')
    const is_error = block.is_error ?? false
    const result = {
      type: 'tool_result',
      call_id: block.tool_use_id,
      name: '',
      output_text,
      content: media ? content : [],
      is_error,
    } as const
    return [{ role: 'result', result, place }]
  })
  const parts = blocks.flatMap((block): readonly ContentPart[] =>
    block.type === 'tool_result' ? [] : [block],
  )
  const said = withoutEmpty(parts, place, warnings)
  return said.length > 0 ? [...results, { role: 'user', content: said, place }] : results
}

type AssistantBlock = Extract<RequestMessage, { role: 'assistant' }>['content'][number]

function toPart(block: AssistantBlock, place: string, warnings: Warnings): readonly AssistantPart[] {
  switch (block.type) {
    case 'text': {
      const { text } = block
      const citations = 'citations' in block ? block.citations : undefined
      return text.trim() === '' ? [] : [{ type: 'text', text, ...(citations?.length ? { citations } : {}) }]
    }
    case 'thinking':
      return [
        {
          type: 'thinking',
          thinking: block.thinking,
          ...(block.signature ? { signature: block.signature } : {}),
        },
      ]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: { type: 'redacted_thinking', data: block.data } }]
    case 'tool_use':
      return [toCall(block, place, warnings)]
    case 'provider': {
      if (isOwnSearch(block.data)) return []
      const isResult = block.data.type.endsWith('_tool_result')
      const kind = isResult ? 'provider_tool_result' : 'provider_tool_use'
      return [{ type: 'provider', kind, data: block.data }]
    }
  }
}

/** Arguments that are no object are wrapped, so that no provider chokes on them. */
function toCall(
  block: Extract<AssistantBlock, { type: 'tool_use' }>,
  place: string,
  warnings: Warnings,
): AssistantPart {
  const { id: call_id, name } = block
  const input = block.input ?? {}
  if (typeof input === 'object' && !Array.isArray(input))
    return { type: 'tool_use', call_id, name, input_text: writeJson(input) }
  warnings.add(
    'arguments_wrapped',
    `${place}: the input of the call ${call_id} is no JSON object; it is passed on as text.`,
  )
  const raw = typeof input === 'string' ? input : writeJson(input)
  return { type: 'tool_use', call_id, name, input_text: JSON.stringify({ _raw: raw }) }
}

/** The new input of a continued thread: results, a message, or both. */
function toDelta(sent: readonly ReceivedMessage[]): Pick<GatewayRequest, 'history' | 'tail'> {
  const results = sent.flatMap(message => (message.role === 'result' ? [message.result] : []))
  const content = sent.flatMap(message => (message.role === 'user' ? message.content : []))
  const joined = content.length > 0 ? [{ role: 'user', content } as const] : []
  const odd = sent.find(message => message.role === 'assistant' || message.role === 'system')
  if (odd) throw new AppError('bad_request', `${odd.place}: a continued thread takes user messages alone`)
  if (results.length > 0) return { history: [], tail: { type: 'results', results, missing: [], joined } }
  return { history: [], tail: content.length > 0 ? { type: 'message', content } : { type: 'continue' } }
}

interface ReadContext {
  /** Every name that a choice may give, with the name that the model knows. */
  readonly names: RequestTools['names']
  readonly decode: DecodeOptions
  readonly warnings: Warnings
}

function toOptions(
  request: MessagesRequest,
  { names, decode, warnings }: ReadContext,
): Readonly<Record<string, unknown>> {
  const choice = request.tool_choice
  const asked = toChoice(choice, names)
  if (choice?.type === 'tool' && request.thread?.type !== 'continue' && !names.has(choice.name))
    throw new AppError('bad_request', `tool_choice: no tool has the name ${JSON.stringify(choice.name)}`)
  const thinks = request.thinking && request.thinking.type !== 'disabled'
  const tool_choice = thinks ? settleForced(asked, 'thinking', decode, warnings) : asked
  const single = choice && choice.type !== 'none' && choice.disable_parallel_tool_use
  const options = {
    tool_choice,
    parallel_tool_calls: single ? false : undefined,
    max_tokens: request.max_tokens === undefined ? undefined : Math.max(1, Math.round(request.max_tokens)),
    temperature: request.temperature,
    top_p: request.top_p,
    top_k: request.top_k,
    stop_sequences: toStops(request.stop_sequences, 'stop_sequences', warnings),
    thinking: request.thinking,
    output_config: request.output_config,
    service_tier: request.service_tier,
    metadata: request.metadata,
  }
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== null),
  )
}

function toChoice(
  choice: MessagesRequest['tool_choice'],
  names: RequestTools['names'],
): ToolChoice | undefined {
  if (!choice) return undefined
  if (choice.type !== 'tool') return { type: choice.type }
  return { type: 'tool', name: names.get(choice.name) ?? choice.name }
}
