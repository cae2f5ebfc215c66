/** Input items of a Responses request as messages, calls and results. Pure but for the warnings. */
import { AppError, type AssistantPart } from '@toolwire/core'
import { withoutEmpty } from '../gateway/empty-text.ts'
import type { ReceivedMessage } from '../gateway/pair-results.ts'
import type { Warnings } from '../gateway/warning.ts'
import { isCallType, isOutputType, readCall, readOutput } from './input-calls.ts'
import { readContent } from './input-content.ts'
import type { LooseItem } from './request-schema.ts'
import { readItemId } from './response.ts'
import { openSummary, openThinking, type Unseal } from './sealed-content.ts'
import { isItem, type ToolNames } from './tools.ts'

/** Log name of thinking and calls that a client brings itself. */
const PROVIDER = 'openai'

export interface ItemReader {
  readonly warnings: Warnings
  readonly names: ToolNames
  readonly unseal?: Unseal | undefined
}

export interface InputReading {
  readonly messages: readonly ReceivedMessage[]
  /** The client asks for a summary of the conversation. */
  readonly compacts: boolean
  /** Settings that the conversation itself changes. */
  readonly settings: LooseItem
}

/** Tools that the conversation itself declares. */
export const declaredTools = (items: readonly LooseItem[]): readonly LooseItem[] =>
  items.flatMap(({ type, tools }) =>
    (type === 'additional_tools' || type === 'tool_search_output') && Array.isArray(tools)
      ? tools.filter(isItem)
      : [],
  )

/** Throws `bad_request` with the place of the item that is wrong. */
export function readItems(items: readonly LooseItem[], reader: ItemReader): InputReading {
  const messages: ReceivedMessage[] = []
  let compacts = false
  let settings: LooseItem = {}
  let parts: AssistantPart[] = []
  let provider: string | undefined
  let position = ''
  const flush = (): void => {
    if (parts.length > 0)
      messages.push({
        role: 'assistant',
        provider: provider ?? PROVIDER,
        content: parts.filter(part => isOf(part, provider)),
        place: position,
      })
    parts = []
    provider = undefined
  }
  for (const [index, item] of items.entries()) {
    const at = `input.${index}`
    if (item['type'] === 'configuration_update' && items[index - 1]?.['type'] === 'configuration_update')
      throw new AppError('bad_request', `${at}: two configuration updates follow each other`)
    const read = readItem(item, at, reader)
    compacts ||= read.compacts ?? false
    settings = { ...settings, ...read.settings }
    if (read.assistant) {
      if (parts.length === 0) position = at
      provider ??= read.provider
      parts.push(...read.assistant)
      continue
    }
    flush()
    messages.push(...(read.messages ?? []))
  }
  flush()
  return { messages, compacts, settings }
}

/** Redacted thinking belongs to its provider. */
const isOf = (part: AssistantPart, provider: string | undefined): boolean =>
  part.type !== 'redacted_thinking' || provider !== undefined

interface ItemReading {
  /** Output of the model; items that follow each other are one message. */
  readonly assistant?: readonly AssistantPart[]
  /** The source of signed thinking. */
  readonly provider?: string
  readonly messages?: readonly ReceivedMessage[]
  readonly compacts?: boolean
  readonly settings?: LooseItem
}

function readItem(item: LooseItem, at: string, reader: ItemReader): ItemReading {
  const type = typeof item['type'] === 'string' ? item['type'] : 'message'
  if (isCallType(type)) return { assistant: [readCall(item, at, reader)] }
  if (isOutputType(type)) return { messages: [readOutput(item, at)] }
  switch (type) {
    case 'message':
      return readMessage(item, at, reader.warnings)
    case 'reasoning':
      return readReasoning(item, at, reader)
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return readSummary(item, at, reader)
    case 'compaction_trigger':
      return { compacts: true }
    case 'additional_tools':
      return {}
    case 'configuration_update':
      return { settings: item }
    case 'agent_message':
      return readMessage({ ...item, role: 'user' }, at, reader.warnings)
    case 'item_reference':
      throw new AppError('bad_request', `${at}: no item has the id ${JSON.stringify(item['id'])}`)
    default:
      return passToProvider(item, at, reader)
  }
}

/** Items of this server's own tools are in its log; the provider of others may know them. */
function passToProvider(item: LooseItem, at: string, { warnings }: ItemReader): ItemReading {
  const { id, type } = item
  if (type === 'web_search_call' && typeof id === 'string' && readItemId(id)) return { assistant: [] }
  warnings.add(
    'item_ignored',
    `${at}: only a provider of this API can read items of the type ${JSON.stringify(type)}; others get its text at most.`,
  )
  return { assistant: [{ type: 'provider', kind: 'provider_tool_result', data: item }] }
}

function readSummary(item: LooseItem, at: string, { unseal, warnings }: ItemReader): ItemReading {
  const summary = openSummary(unseal, item['encrypted_content'])
  if (summary === undefined) {
    warnings.add(INVALID, `${at}.encrypted_content: this server did not make it; the item is left out.`)
    return {}
  }
  if (summary === '') return {}
  const text = `Summary of the conversation so far:\n\n${summary}`
  return { messages: [{ role: 'user', content: [{ type: 'text', text }], place: at }] }
}

const INVALID = 'invalid_encrypted_content'

function readMessage(item: LooseItem, at: string, warnings: Warnings): ItemReading {
  const { role } = item
  if (role === 'assistant') return { assistant: readAssistant(item, at) }
  if (role !== 'user' && role !== 'system' && role !== 'developer')
    throw new AppError('bad_request', `${at}.role: user, assistant, system or developer`)
  const content = withoutEmpty(readContent(item['content'], `${at}.content`), at, warnings)
  if (content.length === 0) return {}
  return { messages: [{ role: role === 'user' ? 'user' : 'system', content, place: at }] }
}

function readAssistant({ content, phase }: LooseItem, at: string): readonly AssistantPart[] {
  const opaque = typeof phase === 'string' ? { opaque: { provider: PROVIDER, data: { phase } } } : {}
  const toText = (text: string): readonly AssistantPart[] =>
    text === '' ? [] : [{ type: 'text', text, ...opaque }]
  if (typeof content === 'string') return toText(content)
  if (!Array.isArray(content)) throw new AppError('bad_request', `${at}.content: expected a text or a list`)
  return content.flatMap((part: unknown): readonly AssistantPart[] => {
    if (!isItem(part)) return []
    const { text, refusal } = part
    if (typeof refusal === 'string') return refusal === '' ? [] : [{ type: 'refusal', text: refusal }]
    return typeof text === 'string' ? toText(text) : []
  })
}

function readReasoning(item: LooseItem, at: string, { unseal, warnings }: ItemReader): ItemReading {
  const { encrypted_content } = item
  const found = openThinking(unseal, encrypted_content)
  if (found) return { assistant: [found.part], provider: found.provider }
  if (typeof encrypted_content === 'string' && encrypted_content !== '') {
    warnings.add(INVALID, `${at}.encrypted_content: this server did not make it; the thinking is left out.`)
    return { assistant: [] }
  }
  const texts = [item['summary'], item['content']].flatMap(list =>
    Array.isArray(list)
      ? list.flatMap((part: unknown) =>
          isItem(part) && typeof part['text'] === 'string' ? [part['text']] : [],
        )
      : [],
  )
  const thinking = texts.filter(text => text !== '').join('\n\n')
  return { assistant: thinking === '' ? [] : [{ type: 'thinking', thinking }] }
}
