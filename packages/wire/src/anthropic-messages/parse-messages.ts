/**
 * The body of a Messages request. It carries arguments as values, and most values lose something in parsing that a
 * provider's prompt cache, or the tool, would miss: so the arguments of calls are kept as the client wrote them. Pure.
 */
import { childTexts, isObject, type JsonObject, readExact } from '@toolwire/core'

/** As JSON.parse, and throws as it does. Inputs of calls may be opaque: `writeJson` writes them. */
export function parseMessages(text: string): unknown {
  const body: unknown = JSON.parse(text)
  if (!isObject(body) || !Array.isArray(body['messages']) || !body['messages'].some(hasCall)) return body
  const messages = childOf(text, 'messages')
  return { ...body, messages: elements(messages, body['messages'], readMessage) }
}

const isCall = (block: unknown): block is JsonObject =>
  isObject(block) && block['type'] === 'tool_use' && isObject(block['input'])

const hasCall = (message: unknown): message is JsonObject & { readonly content: readonly unknown[] } =>
  isObject(message) && Array.isArray(message['content']) && message['content'].some(isCall)

/** Of a name that is given twice the last counts, as in parsing. */
const childOf = (text: string, key: string): string =>
  childTexts(text).findLast(child => child.key === key)?.text ?? ''

function elements(
  text: string,
  values: readonly unknown[],
  read: (value: unknown, text: string) => unknown,
): readonly unknown[] {
  const texts = childTexts(text)
  return values.map((value, place) => read(value, texts[place]?.text ?? ''))
}

const readMessage = (message: unknown, text: string): unknown =>
  hasCall(message)
    ? { ...message, content: elements(childOf(text, 'content'), message.content, readBlock) }
    : message

const readBlock = (block: unknown, text: string): unknown =>
  isCall(block) ? { ...block, input: readExact(childOf(text, 'input')) } : block
