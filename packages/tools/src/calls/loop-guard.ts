/**
 * Detects a model that repeats itself without effect: the same call with the same result. First the model is
 * warned; then the user is asked to continue or stop. Any changed result resets the count, and so does a user who
 * lets it continue.
 */
import { createHash } from 'node:crypto'
import type { CallQuestion, CallState, HistoryMessage, Tool } from '@toolwire/core'
import { isThought } from '@toolwire/core'
import { type CallFailure, precondition } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'
import { loopAnswer, toLoopQuestion } from './loop-question.ts'

const ASK_AFTER = 5
const NOTE_AFTER = 3
const MAX_CYCLE = 5
const MARK = '\n[Note: the same result'

export type LoopGuard =
  | { readonly type: 'ask'; readonly question: CallQuestion }
  /** Nobody may be asked in this session. */
  | { readonly type: 'refuse'; readonly failure: CallFailure }

/** The action instead of running a call that had the same result five times; undefined if it may run. */
export function guardLoop(tool: Tool, work: CallWork): LoopGuard | undefined {
  if (tool.may_repeat) return undefined
  const key = keyOf(tool.name, work.call.input_text)
  const times = repetitions(work.scope.agent().messages, key)
  const { notes } = work.context
  if (loopAnswer(work.call) === 'continue') {
    notes.set(CONTINUED_NOTE, { key: hash(key), times })
    return undefined
  }
  const let_go = notes.get(CONTINUED_NOTE) as { readonly key: string; readonly times: number } | undefined
  const since = let_go?.key === hash(key) && let_go.times <= times ? let_go.times : 0
  if (times - since < ASK_AFTER) return undefined
  if (work.scope.session().permission_mode !== 'dontAsk')
    return { type: 'ask', question: toLoopQuestion(tool.name, times) }
  const text = `This call was made ${times} times with the same arguments and gave the same result each time. It was not run again; do something else, or ask the user.`
  return { type: 'refuse', failure: precondition(text, 'loop', { times }) }
}

/** The failure of a call that a person stopped when asked about the repetition. */
export function stoppedLoop(call: CallState): CallFailure | undefined {
  if (loopAnswer(call) !== 'stop') return undefined
  const text =
    'The user stopped the work because this call keeps giving the same result. It was not run; do something else, or say what is missing.'
  return precondition(text, 'loop')
}

/** The repetition that a user let continue, and its count by then. */
const CONTINUED_NOTE = 'loop:continued'

/** A sentence to add to a result that the model has now seen `NOTE_AFTER` times. */
export function loopNote(tool: Tool, work: CallWork, result: string): string | undefined {
  if (tool.may_repeat) return undefined
  const pairs = toPairs(work.scope.agent().messages)
  const key = keyOf(tool.name, work.call.input_text)
  const last = pairs.findLast(pair => pair.key === key)
  if (!last || last.result !== hash(result)) return undefined
  const times = repetitions(work.scope.agent().messages, keyOf(tool.name, work.call.input_text)) + 1
  if (times < NOTE_AFTER) return undefined
  return `${MARK} as the ${times - 1} times before. Repeating the call will not change it.]`
}

interface Pair {
  readonly key: string
  readonly result: string
}

/**
 * Repetitions of this call at the end of the history (alone, or as a step of a short cycle), each with the same
 * result.
 */
function repetitions(messages: readonly HistoryMessage[], key: string): number {
  const pairs = toPairs(messages)
  let best = 0
  for (let length = 1; length <= MAX_CYCLE; length++) best = Math.max(best, cycles(pairs, length, key))
  return best
}

function cycles(pairs: readonly Pair[], length: number, key: string): number {
  const cycle = pairs.slice(-length)
  // The next call would begin the cycle again.
  if (cycle.length < length || cycle[0]?.key !== key) return 0
  let times = 1
  for (let end = pairs.length - length; end >= length; end -= length) {
    const earlier = pairs.slice(end - length, end)
    if (!earlier.every((pair, i) => pair.key === cycle[i]?.key && pair.result === cycle[i]?.result)) break
    times++
  }
  return times
}

function toPairs(messages: readonly HistoryMessage[]): readonly Pair[] {
  const asked = new Map<string, string>()
  // A user's message may change everything: the count starts again.
  const since = messages.slice(messages.findLastIndex(message => message.role === 'user') + 1)
  return since.flatMap(message => {
    if (message.role === 'assistant') for (const [id, key] of keysOf(message.content)) asked.set(id, key)
    return message.role === 'tool'
      ? message.results.flatMap(result => (isThought(result) ? [] : [toPair(result, asked)]))
      : []
  })
}

type AssistantContent = Extract<HistoryMessage, { role: 'assistant' }>['content']
const keysOf = (content: AssistantContent): readonly (readonly [string, string])[] =>
  content.flatMap(part =>
    part.type === 'tool_use' ? [[part.call_id, keyOf(part.name, part.input_text)] as const] : [],
  )

type Result = Extract<HistoryMessage, { role: 'tool' }>['results'][number]
const toPair = ({ call_id, output_text }: Result, asked: ReadonlyMap<string, string>): Pair => ({
  key: asked.get(call_id) ?? call_id,
  result: hash(output_text.split(MARK, 1)[0] ?? ''),
})

const keyOf = (name: string, input: string): string => `${name} ${canonical(input)}`
const hash = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Spacing and key order do not make another call. */
function canonical(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)))
  } catch {
    return text
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]))
}
