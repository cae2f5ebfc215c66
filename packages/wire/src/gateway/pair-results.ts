/**
 * Puts the results of calls where they belong: all of one message's results right after it, in
 * call order, each once. What answers nothing becomes a user's text; what has no answer gets an
 * error. Pure but for the warnings. Invariant: the outcome holds no unpaired call.
 */
import type { ToolResultPart } from '@toolwire/core'
import type { Tail, Told } from './gateway-request.ts'
import type { Warnings } from './warning.ts'

/** A message as sent: results stand alone, in any order. `place` names it in warnings. */
export type Sent =
  | (Extract<Told, { role: 'user' | 'system' | 'assistant' }> & { readonly place: string })
  | { readonly role: 'result'; readonly result: ToolResultPart; readonly place: string }

export interface Paired {
  readonly history: readonly Told[]
  readonly tail: Tail
}

const NO_RESULT = 'No result was recorded for this call.'

/** Throws `bad_request` where a strict request would need repair. */
export function pairResults(messages: readonly Sent[], warnings: Warnings): Paired {
  const told: Told[] = []
  const at = messages.findLastIndex(message => message.role === 'assistant')
  for (const group of groups(messages.slice(0, Math.max(0, at)))) told.push(...settle(group, warnings).told)
  if (at === -1) return toPaired(told, settle({ said: messages }, warnings).told)
  const last = settle({ assistant: messages[at], said: messages.slice(at + 1) }, warnings)
  const { results, missing } = last
  const content = last.told.slice(2).flatMap(message => (message.role === 'user' ? message.content : []))
  const isAlone = last.told.length <= 2 && results.length > 0
  const isComplete = results.length > 0 && missing.length === 0
  if (isAlone || (isComplete && last.isSaid))
    return {
      history: [...told, ...last.told.slice(0, 1)],
      tail: { type: 'results', results, missing, content },
    }
  return toPaired(told, last.told)
}

interface Group {
  readonly assistant?: Sent | undefined
  readonly said: readonly Sent[]
}

/** An assistant message with everything up to the next one. */
function groups(messages: readonly Sent[]): readonly Group[] {
  const out: { assistant?: Sent; said: Sent[] }[] = []
  for (const message of messages) {
    if (message.role === 'assistant') out.push({ assistant: message, said: [] })
    else if (out.length === 0) out.push({ said: [message] })
    else out.at(-1)?.said.push(message)
  }
  return out
}

interface Settled {
  readonly told: readonly Told[]
  readonly results: readonly ToolResultPart[]
  readonly missing: readonly string[]
  /** Beside the results there is nothing but what the user says. */
  readonly isSaid: boolean
}

function settle({ assistant, said }: Group, warnings: Warnings): Settled {
  const calls =
    assistant?.role === 'assistant'
      ? assistant.content.flatMap(part => (part.type === 'tool_use' ? [part] : []))
      : []
  const given = new Map<string, ToolResultPart>()
  const rest: Told[] = []
  for (const message of said) {
    if (message.role !== 'result') {
      const { place: _, ...plain } = message
      rest.push(plain)
      continue
    }
    const { result, place } = message
    const call = calls.find(one => one.call_id === result.call_id)
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
      `${assistant?.place}: the call ${call.call_id} has no result; the model is told so.`,
    )
  return {
    told: [
      ...toTold(assistant),
      ...(results.length > 0 ? [{ role: 'tool', results } as const] : []),
      ...rest,
    ],
    results,
    missing: missing.map(call => call.call_id),
    isSaid: rest.every(message => message.role === 'user'),
  }
}

function toTold(message: Sent | undefined): readonly Told[] {
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

function orphan(result: ToolResultPart, place: string, warnings: Warnings): Told {
  warnings.add('orphan_result', `${place}: no call has the id ${result.call_id}; the result became a text.`)
  const text = `Result of an unknown call (${result.call_id}): ${result.output_text}`
  return { role: 'user', content: [{ type: 'text', text }, ...result.content] }
}

/** The latest user messages are what is said now; consecutive ones are one. */
function toPaired(before: readonly Told[], last: readonly Told[]): Paired {
  const all = [...before, ...last]
  const end = all.findLastIndex(message => message.role !== 'user') + 1
  const content = all.slice(end).flatMap(message => (message.role === 'user' ? message.content : []))
  if (end === all.length) return { history: all, tail: { type: 'continue' } }
  return { history: all.slice(0, end), tail: { type: 'message', content } }
}
