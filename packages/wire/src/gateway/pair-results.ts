/**
 * Puts the results of calls where they belong: all of one message's results right after it, in
 * call order, each once. What answers nothing becomes a user's text; what has no answer gets an
 * error. Pure but for the warnings. Invariant: the outcome holds no unpaired call.
 */
import type { ToolResultPart } from '@toolwire/core'
import { checkParts, checkTexts } from '../shared/count-limits.ts'
import type { ImportedMessage, JoinedMessage, Tail } from './gateway-request.ts'
import type { Warnings } from './warning.ts'

/** A message as sent: results are separate, in any order. `place` names it in warnings. */
export type ReceivedMessage =
  | (Extract<ImportedMessage, { role: 'user' | 'system' | 'assistant' }> & { readonly place: string })
  | { readonly role: 'result'; readonly result: ToolResultPart; readonly place: string }

export interface PairedHistory {
  readonly history: readonly ImportedMessage[]
  readonly tail: Tail
}

const NO_RESULT = 'No result was recorded for this call.'

/** Throws `bad_request` where a strict request would need repair, and `payload_too_large` for a message of too many parts. */
export function pairResults(messages: readonly ReceivedMessage[], warnings: Warnings): PairedHistory {
  for (const message of messages) checkSize(message)
  const told: ImportedMessage[] = []
  const at = messages.findLastIndex(message => message.role === 'assistant')
  for (const group of groups(messages.slice(0, Math.max(0, at)))) told.push(...settle(group, warnings).told)
  if (at === -1) return toPaired(told, settle({ said: messages }, warnings).told)
  const last = settle({ assistant: messages[at], said: messages.slice(at + 1) }, warnings)
  const { results, missing } = last
  const joined = joinConsecutive(last.rest)
  if (results.length > 0 && (joined.length === 0 || missing.length === 0))
    return {
      history: [...told, ...last.told.slice(0, 1)],
      tail: { type: 'results', results, missing, joined },
    }
  return toPaired(told, last.told)
}

function checkSize(message: ReceivedMessage): void {
  const { place } = message
  if (message.role === 'assistant') checkParts(message.content, place)
  const texts = message.role === 'result' ? [{ text: message.result.output_text }] : message.content
  checkTexts(texts, place)
}

interface Group {
  readonly assistant?: ReceivedMessage | undefined
  readonly said: readonly ReceivedMessage[]
}

/** An assistant message with everything up to the next one. */
function groups(messages: readonly ReceivedMessage[]): readonly Group[] {
  const out: { assistant?: ReceivedMessage; said: ReceivedMessage[] }[] = []
  for (const message of messages) {
    if (message.role === 'assistant') out.push({ assistant: message, said: [] })
    else if (out.length === 0) out.push({ said: [message] })
    else out.at(-1)?.said.push(message)
  }
  return out
}

interface SettledCalls {
  readonly told: readonly ImportedMessage[]
  readonly results: readonly ToolResultPart[]
  readonly missing: readonly string[]
  /** Content sent beside the results. */
  readonly rest: readonly JoinedMessage[]
}

function settle({ assistant, said }: Group, warnings: Warnings): SettledCalls {
  const calls =
    assistant?.role === 'assistant'
      ? assistant.content.flatMap(part => (part.type === 'tool_use' ? [part] : []))
      : []
  // Of several calls with one id, the first.
  const byId = new Map(calls.toReversed().map(call => [call.call_id, call]))
  const given = new Map<string, ToolResultPart>()
  const rest: JoinedMessage[] = []
  for (const message of said) {
    if (message.role === 'assistant') continue
    if (message.role !== 'result') {
      const { role, content } = message
      rest.push({ role, content })
      continue
    }
    const { result, place } = message
    const call = byId.get(result.call_id)
    if (!call) rest.push(orphan(result, place, warnings))
    else {
      if (given.has(result.call_id))
        warnings.add(
          'duplicate_result',
          `${place}: the call ${result.call_id} was answered before; the later result counts.`,
        )
      given.set(result.call_id, { ...result, name: call.name })
    }
  }
  const missing = calls.filter(call => !given.has(call.call_id))
  const results = calls.map(call => given.get(call.call_id) ?? noResult(call.call_id, call.name))
  for (const call of missing)
    warnings.add(
      'missing_result',
      `${assistant?.place}: the call ${call.call_id} has no result; the model gets a message that says so.`,
    )
  return {
    told: [
      ...toTold(assistant),
      ...(results.length > 0 ? [{ role: 'tool', results } as const] : []),
      ...rest,
    ],
    results,
    missing: missing.map(call => call.call_id),
    rest,
  }
}

function toTold(message: ReceivedMessage | undefined): readonly ImportedMessage[] {
  if (message === undefined || message.role === 'result') return []
  const { place: _, ...plain } = message
  return [plain]
}

const noResult = (call_id: string, name: string): ToolResultPart => ({
  type: 'tool_result',
  call_id,
  name,
  output_text: NO_RESULT,
  content: [],
  is_error: true,
})

function orphan(result: ToolResultPart, place: string, warnings: Warnings): JoinedMessage {
  warnings.add('orphan_result', `${place}: no call has the id ${result.call_id}; the result became a text.`)
  const text = `Result of an unknown call (${result.call_id}): ${result.output_text}`
  return { role: 'user', content: [{ type: 'text', text }, ...result.content] }
}

/** The latest user messages are what is said now; consecutive ones are one. */
function toPaired(before: readonly ImportedMessage[], last: readonly ImportedMessage[]): PairedHistory {
  const all = [...before, ...last]
  const end = all.findLastIndex(message => message.role !== 'user') + 1
  const content = all.slice(end).flatMap(message => (message.role === 'user' ? message.content : []))
  if (end === all.length) return { history: all, tail: { type: 'continue' } }
  checkTexts(content, 'messages')
  return { history: all.slice(0, end), tail: { type: 'message', content } }
}

/** The same request for a session that does not wait: results are history, and the latest user messages are the tail. */
export const settleResults = ({ history, tail }: PairedHistory): PairedHistory =>
  tail.type === 'results' && tail.joined.length > 0
    ? toPaired([...history, { role: 'tool', results: tail.results }], tail.joined)
    : { history, tail }

/** Messages of one role that follow each other are one. */
function joinConsecutive(messages: readonly JoinedMessage[]): readonly JoinedMessage[] {
  const joined: JoinedMessage[] = []
  for (const { role, content } of messages) {
    const before = joined.at(-1)
    if (before?.role === role) joined[joined.length - 1] = { role, content: [...before.content, ...content] }
    else joined.push({ role, content })
  }
  for (const { content } of joined) checkTexts(content, 'messages')
  return joined
}
