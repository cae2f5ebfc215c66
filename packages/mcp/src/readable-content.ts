/**
 * Keeps the result of a call that has run: content whose type the protocol's client does not know becomes text that
 * names the type. The client would reject the whole result otherwise, and the call would look as if it had failed.
 */
import { isSpecType, type Transport } from '@modelcontextprotocol/client'

type Fields = Readonly<Record<string, unknown>>

const MAX_SHOWN = 1_000
/** Parts of one result: each is checked by itself, and no model reads more. */
const MAX_PARTS = 1_000

/** Call it once the client is connected: the client sets its listener while it connects. */
export function readUnknownContent(transport: Transport): void {
  const receive = transport.onmessage
  if (!receive) return
  transport.onmessage = (message, extra) => receive(toReadable(message) as typeof message, extra)
}

/** The same message when all of its content is known. Pure. */
export function toReadable(message: unknown): unknown {
  if (!isFields(message) || !isFields(message['result'])) return message
  const { result } = message
  const { content, messages, contents } = result
  const read = {
    ...(content === undefined ? {} : { content: bounded(listOf(content)).map(toBlock) }),
    ...(Array.isArray(messages) ? { messages: bounded(messages).flatMap(toPromptMessages) } : {}),
    ...(Array.isArray(contents) ? { contents: bounded(contents).map(toResource) } : {}),
  }
  return Object.keys(read).length === 0 ? message : { ...message, result: { ...result, ...read } }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** The last of many parts says how many are missing. */
const bounded = (parts: readonly unknown[]): readonly unknown[] =>
  parts.length <= MAX_PARTS
    ? parts
    : [...parts.slice(0, MAX_PARTS), `${parts.length - MAX_PARTS} further parts are left out.`]

function toBlock(block: unknown): unknown {
  if (isSpecType.ContentBlock(block)) return block
  // A known block with wrong annotations still has its text.
  if (isFields(block) && block['type'] === 'text' && typeof block['text'] === 'string')
    return { type: 'text', text: block['text'] }
  return { type: 'text', text: typeof block === 'string' ? block : describe(block) }
}

function toPromptMessages(message: unknown): readonly unknown[] {
  if (!isFields(message)) return [{ role: 'user', content: toBlock(message) }]
  return bounded(listOf(message['content'])).map(content => ({ ...message, content: toBlock(content) }))
}

function toResource(resource: unknown): unknown {
  if (isSpecType.TextResourceContents(resource) || isSpecType.BlobResourceContents(resource)) return resource
  if (typeof resource === 'string') return { uri: '', text: resource }
  const uri = isFields(resource) ? resource['uri'] : undefined
  return { uri: typeof uri === 'string' ? uri : '', text: describe(resource) }
}

function describe(block: unknown): string {
  const type = isFields(block) && typeof block['type'] === 'string' ? block['type'] : 'unknown'
  const json = JSON.stringify(block) ?? ''
  const shown = json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}… (${json.length} characters)` : json
  return `[Content of the type ${JSON.stringify(type)}, which Toolwire cannot read: ${shown}]`
}
