/** The history with everything from outside in its fence: the form in which every model gets it. Pure. */
import type { ContentPart } from '../event.ts'
import { fenceText, withoutBoundary } from '../fence.ts'
import type { HistoryMessage, ToolResultPart } from './history.ts'
import type { SessionState } from './state.ts'

/** The word in the session's tags: random, in the log before its first request, and never part of what a model writes down. */
export const boundaryOf = ({ provider_session_id = '' }: Pick<SessionState, 'provider_session_id'>): string =>
  provider_session_id.replaceAll(/[^0-9A-Za-z]/g, '').slice(-12)

/** Messages of a state never change, so each is fenced once. */
const fenced = new WeakMap<
  HistoryMessage,
  { readonly boundary: string; readonly messages: readonly HistoryMessage[] }
>()

/** A system message that carries a report becomes two: what the server says, and the report as the user's data. */
export function fenceHistory(
  messages: readonly HistoryMessage[],
  boundary: string,
): readonly HistoryMessage[] {
  const all: HistoryMessage[] = []
  for (const message of messages)
    if (message.role === 'assistant') all.push(message)
    else all.push(...fenceOnce(message, boundary))
  return all
}

function fenceOnce(
  message: Exclude<HistoryMessage, { readonly role: 'assistant' }>,
  boundary: string,
): readonly HistoryMessage[] {
  const before = fenced.get(message)
  if (before?.boundary === boundary) return before.messages
  const messages = fenceMessage(message, boundary)
  fenced.set(message, { boundary, messages })
  return messages
}

function fenceMessage(
  message: Exclude<HistoryMessage, { readonly role: 'assistant' }>,
  boundary: string,
): readonly HistoryMessage[] {
  if (message.role === 'tool')
    return [{ ...message, results: message.results.map(result => fenceResult(result, boundary)) }]
  const content = message.content.map(part => fencePart(part, boundary))
  if (message.role === 'user') return [{ ...message, content }]
  const isOutside = (_: ContentPart, index: number): boolean => {
    const part = message.content[index]
    return part?.type === 'text' && part.outside !== undefined
  }
  const own = content.filter((part, index) => !isOutside(part, index))
  const outside = content.filter(isOutside)
  return [
    ...(own.length > 0 ? [{ role: 'system', content: own } as const] : []),
    ...(outside.length > 0 ? [{ role: 'user', content: outside } as const] : []),
  ]
}

function fencePart(part: ContentPart, boundary: string): ContentPart {
  if (part.type !== 'text') return part
  if (part.outside === undefined) return { ...part, text: withoutBoundary(part.text, boundary) }
  return { type: 'text', text: fenceText(part.text, { boundary, source: part.outside }) }
}

function fenceResult(result: ToolResultPart, boundary: string): ToolResultPart {
  const { outside, ...rest } = result
  if (outside === undefined || result.output_text === '')
    return { ...rest, output_text: withoutBoundary(result.output_text, boundary) }
  return { ...rest, output_text: fenceText(result.output_text, { boundary, source: outside }) }
}
