/**
 * Puts back what clients cannot carry: signed thinking and other blocks of an assistant message,
 * known by the ids of its calls. Only a message that says and asks exactly the same is replaced.
 */
import { type AssistantPart, type HistoryMessage, parseBoundedJson } from '@toolwire/core'
import type { ImportedMessage } from '@toolwire/wire'

type Assistant = Extract<HistoryMessage, { role: 'assistant' }>

/** Pure. Messages that are not known stay as they were sent. */
export function restoreBlocks(
  messages: readonly ImportedMessage[],
  known: readonly HistoryMessage[],
): readonly ImportedMessage[] {
  const byCall = new Map<string, Assistant>()
  for (const message of known)
    if (message.role === 'assistant') for (const id of callIds(message.content)) byCall.set(id, message)
  return messages.map(message => {
    if (message.role !== 'assistant') return message
    const [first] = callIds(message.content)
    const found = first === undefined ? undefined : byCall.get(first)
    return found && isSame(found.content, message.content) ? found : message
  })
}

const callIds = (content: readonly AssistantPart[]): readonly string[] =>
  content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))

function isSame(a: readonly AssistantPart[], b: readonly AssistantPart[]): boolean {
  return JSON.stringify(shown(a)) === JSON.stringify(shown(b))
}

function shown(content: readonly AssistantPart[]): unknown {
  const text = content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const calls = content.flatMap(part =>
    part.type === 'tool_use' ? [[part.call_id, part.name, parse(part.input_text)]] : [],
  )
  return [text, calls]
}

/** The same arguments in other white space are the same. */
function parse(text: string): unknown {
  return text.trim() === '' ? {} : (parseBoundedJson(text) ?? text)
}
