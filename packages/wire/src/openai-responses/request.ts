/** A Responses request in canonical words. Pure: no clock, no ids but those that the request brings. */
import { AppError } from '@toolwire/core'
import type { DecodeOptions } from '../gateway/decode-options.ts'
import { toEcho } from '../gateway/echo.ts'
import type { GatewayRequest } from '../gateway/gateway-request.ts'
import { warnIgnoredFields } from '../gateway/ignored-fields.ts'
import { pairResults, type ReceivedMessage } from '../gateway/pair-results.ts'
import { createWarnings } from '../gateway/warning.ts'
import { parseBody } from '../shared/parse-body.ts'
import { readItems } from './input-items.ts'
import { toSettings } from './options.ts'
import { type LooseItem, ResponsesRequest } from './request-schema.ts'
import { toRecord } from './response-record.ts'
import { readTools } from './tools.ts'
import { toVisible } from './visible.ts'

export interface ResponsesGatewayRequest extends GatewayRequest {
  readonly background: boolean
  /** False: the response cannot be retrieved or continued by its id. */
  readonly store: boolean
}

export interface ResponsesDecodeOptions extends DecodeOptions {
  /** The conversation up to and including the response that the request continues. */
  readonly previous?: readonly ReceivedMessage[]
  /** Items of earlier responses, by their ids. */
  readonly references?: ReadonlyMap<string, LooseItem>
}

/** Ids that a body refers to, so that they can be looked up before it is decoded. Never throws. */
export function readReferences(body: unknown): {
  readonly previous: string | undefined
  readonly items: readonly string[]
} {
  const { previous_response_id: previous, input } = Object(body) as Record<string, unknown>
  const items = Array.isArray(input) ? input : []
  return {
    previous: typeof previous === 'string' && previous !== '' ? previous : undefined,
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
  const input = readItems(itemsOf(request.input, decode.references), warnings)
  const instructions = toInstructions(request.instructions)
  const messages = [...instructions, ...joined([...(decode.previous ?? []), ...input.messages])]
  if (messages.every(message => message.role === 'system'))
    throw new AppError('bad_request', 'input: there is nothing to answer, only instructions')
  const toolset = readTools([...(request.tools ?? []), ...input.tools], warnings)
  const { client_tools, options } = toSettings(request, toolset, decode, warnings)
  const { history, tail } = pairResults(messages, warnings)
  warnIgnoredFields(body, KNOWN_FIELDS, warnings)
  const last = messages.findLastIndex(message => message.role === 'assistant')
  const assistant = messages[last]
  return {
    client_tools,
    options: { ...options, responses: toRecord(request, toolset, warnings.list) },
    model: request.model ?? undefined,
    stream: request.stream ?? false,
    background: request.background ?? false,
    store: request.store ?? true,
    history,
    tail,
    visible: messages.map(message => () => toVisible(message)),
    answered: last + 1,
    echo: tools => toEcho(messages, tools),
    has_instructions: messages.some(message => message.role === 'system'),
    said: messages.length - 1 - messages.findLastIndex(message => message.role !== 'user'),
    calls:
      assistant?.role === 'assistant'
        ? assistant.content.flatMap(part =>
            part.type === 'tool_use' ? [{ call_id: part.call_id, name: part.name }] : [],
          )
        : [],
    results: messages.flatMap(message => (message.role === 'result' ? [message.result.call_id] : [])),
    by_name: false,
    session_id: textOf(request.metadata?.['session_id']),
    user: request.user ?? undefined,
    server_tools: textOf(request.metadata?.['server_tools'])
      ?.split(',')
      .map(name => name.trim()),
    warnings: warnings.list,
  }
}

const KNOWN_FIELDS = Object.fromEntries(
  Object.keys(ResponsesRequest.shape).map(name => [name, 'any'] as const),
)

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function itemsOf(
  input: ResponsesRequest['input'],
  references: ReadonlyMap<string, LooseItem> | undefined,
): readonly LooseItem[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return input.map(item => {
    const found = item.type === 'item_reference' ? references?.get(String(item['id'])) : undefined
    return found ?? item
  })
}

const toInstructions = (text: string | null | undefined): readonly ReceivedMessage[] =>
  text === undefined || text === null || text.trim() === ''
    ? []
    : [{ role: 'system', content: [{ type: 'text', text }], place: 'instructions' }]

/** Messages of the model that follow each other are one: the client may send the rest of a response. */
function joined(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  const out: ReceivedMessage[] = []
  for (const message of messages) {
    const before = out.at(-1)
    if (before?.role === 'assistant' && message.role === 'assistant')
      out[out.length - 1] = { ...before, content: [...before.content, ...message.content] }
    else out.push(message)
  }
  return out
}
