/** A Responses request in canonical words. Pure: no clock, no ids but those that the request brings. */
import { AppError, type HostedSearch } from '@toolwire/core'
import type { DecodeOptions } from '../gateway/decode-options.ts'
import { toEcho } from '../gateway/echo.ts'
import type { GatewayRequest } from '../gateway/gateway-request.ts'
import { type FieldSpec, warnIgnoredFields } from '../gateway/ignored-fields.ts'
import { pairResults, type ReceivedMessage } from '../gateway/pair-results.ts'
import { type SearchService, searchOption, toHostedSearch } from '../gateway/search-request.ts'
import { createWarnings, type Warnings } from '../gateway/warning.ts'
import { parseBody } from '../shared/parse-body.ts'
import { declaredTools, readItems } from './input-items.ts'
import { toSettings } from './options.ts'
import { type LooseItem, ResponsesRequest } from './request-schema.ts'
import { toRecord } from './response-record.ts'
import type { Unseal } from './sealed-content.ts'
import { type ClientToolset, isItem, readTools, toNames } from './tools.ts'
import { toVisible } from './visible.ts'

export interface ResponsesGatewayRequest extends GatewayRequest {
  readonly background: boolean
  /** False: the response cannot be retrieved or continued by its id. */
  readonly store: boolean
  /** The response is a summary of the conversation, which continues elsewhere. */
  readonly compacts: boolean
}

export interface ResponsesDecodeOptions extends DecodeOptions {
  /** The conversation up to and including the response that the request continues. */
  readonly previous?: readonly ReceivedMessage[]
  /** Items of earlier responses, by their ids. */
  readonly references?: ReadonlyMap<string, LooseItem>
  /** Opens what the server sealed for its clients. */
  readonly unseal?: Unseal
  /** The client shows no refusals. */
  readonly plainRefusals?: boolean
}

/** Ids that a body refers to, so that they can be looked up before it is decoded. Never throws. */
export function readReferences(body: unknown): {
  readonly previous: string | undefined
  readonly conversation: string | undefined
  readonly items: readonly string[]
} {
  const { previous_response_id: previous, conversation, input } = Object(body) as Record<string, unknown>
  const items = Array.isArray(input) ? input : []
  return {
    previous: textOf(previous),
    conversation: textOf(isItem(conversation) ? conversation['id'] : conversation),
    items: items.flatMap((item: unknown) => {
      const { type, id } = Object(item) as Record<string, unknown>
      return type === 'item_reference' && typeof id === 'string' ? [id] : []
    }),
  }
}

/** Throws `bad_request` whose message begins with the field that is wrong. */
export function decodeResponsesRequest(
  body: unknown,
  decode: ResponsesDecodeOptions = {},
): ResponsesGatewayRequest {
  const request = parseBody(ResponsesRequest, body)
  const warnings = createWarnings(decode.strict ?? false)
  const items = itemsOf(request.input ?? [], decode.references)
  const toolset = readTools([...(request.tools ?? []), ...declaredTools(items)], warnings)
  const search = toSearch(toolset, decode.search?.(request.model ?? undefined), {
    warnings,
    most: request.max_tool_calls ?? undefined,
  })
  const { unseal } = decode
  const input = readItems(items, { warnings, names: toNames(toolset), unseal })
  const messages = toMessages(request, input.messages, decode.previous ?? [])
  if (input.compacts) messages.push(SUMMARIZE)
  if (messages.every(message => message.role === 'system'))
    throw new AppError('bad_request', 'input: there is nothing to answer, only instructions')
  const settings = toSettings(
    withUpdates(request, input.settings),
    toolset,
    { ...decode, chosen: search },
    warnings,
  )
  const { history, tail } = pairResults(messages, warnings)
  warnIgnoredFields(body, KNOWN_FIELDS, warnings)
  const { plainRefusals: plain_refusals = false } = decode
  const record = toRecord(request, toolset, {
    warnings: warnings.list,
    ...(plain_refusals ? { plain_refusals } : {}),
    ...(input.compacts ? { compacts: true } : {}),
  })
  return {
    client_tools: settings.client_tools,
    options: { ...settings.options, ...searchOption(search), responses: record },
    model: request.model ?? undefined,
    stream: request.stream ?? false,
    background: request.background ?? false,
    store: request.store ?? true,
    compacts: input.compacts,
    history,
    tail,
    ...toLookup(messages),
    by_name: false,
    session_id: textOf(request.metadata?.['session_id']),
    user: request.user ?? request.prompt_cache_key ?? undefined,
    server_tools: textOf(request.metadata?.['server_tools'])
      ?.split(',')
      .map(name => name.trim()),
    warnings: warnings.list,
  }
}

/** A request for a summary ends with it. */
const SUMMARIZE: ReceivedMessage = {
  role: 'user',
  content: [
    {
      type: 'text',
      text: 'Summarize the conversation so far for an assistant that continues it with your summary alone. Keep what the user wants and has decided, what was done and found, names, paths, numbers and values exactly as they are, what failed and why, and what is still open. Write the summary alone, as plain notes in the language of the conversation.',
    },
  ],
  place: 'input',
}

function toMessages(
  request: ResponsesRequest,
  input: readonly ReceivedMessage[],
  previous: readonly ReceivedMessage[],
): ReceivedMessage[] {
  const isConversation = request.conversation !== undefined && request.conversation !== null
  const fresh = isConversation ? withoutRepeated(previous, input) : input
  return [...toInstructions(request.instructions), ...joined([...previous, ...fresh])]
}

/** Some clients repeat the message before the calls that wait together with their results. */
function withoutRepeated(
  previous: readonly ReceivedMessage[],
  input: readonly ReceivedMessage[],
): readonly ReceivedMessage[] {
  const last = previous.at(-1)
  const before = previous.at(-2)
  const [first] = input
  const hasCalls = last?.role === 'assistant' && last.content.some(part => part.type === 'tool_use')
  const isRepeated = before?.role === 'user' && first?.role === 'user' && endsWith(before, first)
  return hasCalls && isRepeated ? input.slice(1) : input
}

/** Messages of the user that follow each other are one. */
const endsWith = (
  { content }: Extract<ReceivedMessage, { role: 'user' | 'system' }>,
  { content: end }: Extract<ReceivedMessage, { role: 'user' | 'system' }>,
): boolean => end.length > 0 && JSON.stringify(content.slice(-end.length)) === JSON.stringify(end)

/** The settings as the conversation changed them. */
function withUpdates(request: ResponsesRequest, updates: LooseItem): ResponsesRequest {
  const { reasoning, text } = updates
  return {
    ...request,
    ...(isItem(reasoning) ? { reasoning: { ...request.reasoning, ...reasoning } } : {}),
    ...(isItem(text) ? { text: { ...request.text, ...text } } : {}),
  }
}

/** The fields that find the session of a conversation. */
function toLookup(messages: readonly ReceivedMessage[]) {
  const last = messages.findLastIndex(message => message.role === 'assistant')
  const assistant = messages[last]
  return {
    visible: messages.map(message => () => toVisible(message)),
    answered: last + 1,
    echo: (tools: GatewayRequest['client_tools']) => toEcho(messages, tools),
    has_instructions: messages.some(message => message.role === 'system'),
    said: messages.length - 1 - messages.findLastIndex(message => message.role !== 'user'),
    calls:
      assistant?.role === 'assistant'
        ? assistant.content.flatMap(part =>
            part.type === 'tool_use' ? [{ call_id: part.call_id, name: part.name }] : [],
          )
        : [],
    results: messages.flatMap(message => (message.role === 'result' ? [message.result.call_id] : [])),
  }
}

function toSearch(
  { search, specs }: ClientToolset,
  service: SearchService | undefined,
  { warnings, most }: { readonly warnings: Warnings; readonly most: number | undefined },
): HostedSearch | undefined {
  if (!search) return undefined
  const taken = specs.map(({ name }) => name)
  const asked = { service, api: 'openai-responses', at: search.at, taken }
  const found = toHostedSearch(search.tool, asked, warnings)
  return found && most !== undefined ? { ...found, max_uses: Math.floor(most) } : found
}

const anyOf = (...names: readonly string[]): FieldSpec =>
  Object.fromEntries(names.map(name => [name, 'any'] as const))

const KNOWN_FIELDS: FieldSpec = {
  ...Object.fromEntries(Object.keys(ResponsesRequest.shape).map(name => [name, 'any'] as const)),
  reasoning: anyOf('effort', 'summary', 'context', 'mode', 'generate_summary'),
  text: anyOf('format', 'verbosity'),
  stream_options: anyOf('include_obfuscation'),
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function itemsOf(
  input: string | readonly LooseItem[],
  references: ReadonlyMap<string, LooseItem> | undefined,
): readonly LooseItem[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return input.map(item => {
    const found = item['type'] === 'item_reference' ? references?.get(String(item['id'])) : undefined
    return found ?? item
  })
}

const toInstructions = (text: string | null | undefined): readonly ReceivedMessage[] =>
  text === undefined || text === null || text.trim() === ''
    ? []
    : [{ role: 'system', content: [{ type: 'text', text }], place: 'instructions' }]

/** Messages of the model that follow each other are one: the client may send the rest of a response. */
function joined(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  const groups: ReceivedMessage[][] = []
  for (const message of messages) {
    const group = groups.at(-1)
    if (message.role === 'assistant' && group?.[0]?.role === 'assistant') group.push(message)
    else groups.push([message])
  }
  return groups.flatMap(toOne)
}

function toOne(group: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  const [first] = group
  if (first?.role !== 'assistant' || group.length === 1) return group
  const content = group.flatMap(message => (message.role === 'assistant' ? message.content : []))
  return [{ ...first, content }]
}
