/**
 * The history as alternating turns, the form that every chat provider demands. Pure.
 * Invariants of the result: roles alternate and begin with the user; no turn is empty;
 * every call is answered exactly once, at the head of the next turn, in call order; call
 * ids are legal and unique through the whole history; nothing a person or tool said is lost,
 * except that of several results for one call only the last counts.
 */
import type { AssistantPart, ContentPart, HistoryMessage, ToolResultPart } from '@toolwire/core'
import { foreignText } from './foreign-items.ts'
import { toLegalId } from './legal-names.ts'

export type UserPart = ContentPart | { readonly type: 'system'; readonly text: string }

export type AssistantTurnPart = AssistantPart & { readonly provider: string }

export type Turn =
  | {
      readonly role: 'user'
      readonly results: readonly ToolResultPart[]
      readonly content: readonly UserPart[]
    }
  | { readonly role: 'assistant'; readonly content: readonly AssistantTurnPart[] }

export interface Conversation {
  /** Texts of the system messages before the first turn, in order. */
  readonly system: readonly string[]
  readonly turns: readonly Turn[]
}

export interface TurnRules {
  /** True if the provider accepts this part in a history; a turn that loses all its parts is dropped. */
  readonly keep: (part: AssistantTurnPart) => boolean
}

const OPENING = 'The conversation begins with your message.'
const NO_RESULT = 'No result was recorded for this call.'

export function toConversation(messages: readonly HistoryMessage[], rules: TurnRules): Conversation {
  const leading = messages.findIndex(message => message.role !== 'system')
  const head = leading === -1 ? messages : messages.slice(0, leading)
  const system = head.flatMap(message => (message.role === 'system' ? texts(message.content) : []))
  const turns = pair(merge(leading === -1 ? [] : toTurns(messages, leading, rules)))
  if (turns[0]?.role !== 'assistant') return { system, turns }
  return {
    system,
    turns: [{ role: 'user', results: [], content: [{ type: 'text', text: OPENING }] }, ...turns],
  }
}

/** Turns by message, for each rule: a history that grows keeps the turns that it has. */
const known = new WeakMap<TurnRules['keep'], WeakMap<HistoryMessage, readonly Turn[]>>()

function toTurns(messages: readonly HistoryMessage[], from: number, rules: TurnRules): readonly Turn[] {
  const before = known.get(rules.keep) ?? new WeakMap<HistoryMessage, readonly Turn[]>()
  known.set(rules.keep, before)
  const turns: Turn[] = []
  for (let at = from; at < messages.length; at++) {
    const message = messages[at]
    if (!message) continue
    const made = before.get(message) ?? toTurn(message, rules)
    if (!before.has(message)) before.set(message, made)
    for (const turn of made) turns.push(turn)
  }
  return turns
}

function toTurn(message: HistoryMessage, rules: TurnRules): readonly Turn[] {
  switch (message.role) {
    case 'user':
      return userTurn([], message.content.filter(isSaid))
    case 'system':
      return userTurn(
        [],
        texts(message.content).map(text => ({ type: 'system', text }) as const),
      )
    case 'tool':
      return userTurn(message.results, [])
    case 'assistant': {
      const content = message.content
        .map(part => ({ ...part, provider: message.provider }))
        .flatMap(part => (rules.keep(part) ? [part] : asText(part)))
        .filter(isWritten)
      // Thinking alone is no message; providers refuse it.
      return content.some(part => !isThought(part)) ? [{ role: 'assistant', content }] : []
    }
  }
}

/** Results of calls that another provider ran are text here. */
function asText(part: AssistantTurnPart): readonly AssistantTurnPart[] {
  const text = part.type === 'provider' ? foreignText(part.data) : undefined
  return text === undefined ? [] : [{ type: 'text', text, provider: part.provider }]
}

const userTurn = (results: readonly ToolResultPart[], content: readonly UserPart[]): readonly Turn[] =>
  results.length + content.length > 0 ? [{ role: 'user', results, content }] : []

const texts = (content: readonly ContentPart[]): readonly string[] =>
  content.flatMap(part => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []))

const isSaid = (part: ContentPart): boolean => part.type !== 'text' || part.text.trim() !== ''

function isWritten(part: AssistantPart): boolean {
  return part.type === 'text' || part.type === 'refusal' ? part.text.trim() !== '' : true
}

const isThought = (part: AssistantPart): boolean =>
  part.type === 'thinking' || part.type === 'redacted_thinking'

function merge(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    const joined = last?.role === turn.role ? knownJoin(last, turn) : undefined
    if (joined) merged[merged.length - 1] = joined
    else merged.push(turn)
  }
  return merged
}

/** Joined turns by their first one, with the second. */
const joins = new WeakMap<Turn, { readonly second: Turn; readonly joined: Turn | undefined }>()

function knownJoin(first: Turn, second: Turn): Turn | undefined {
  const before = joins.get(first)
  if (before?.second === second) return before.joined
  const joined = join(first, second)
  if (joined) joins.set(first, { second, joined })
  return joined
}

function join(a: Turn, b: Turn): Turn | undefined {
  if (a.role === 'assistant' && b.role === 'assistant') return joinAssistant(a.content, b.content)
  if (a.role === 'user' && b.role === 'user')
    return { role: 'user', results: [...a.results, ...b.results], content: [...a.content, ...b.content] }
  return undefined
}

const joinAssistant = (a: readonly AssistantTurnPart[], b: readonly AssistantTurnPart[]): Turn => ({
  role: 'assistant',
  content: [...a, ...b],
})

/** Gives every call its one result in the turn after it, and turns what answers nothing into text. */
function pair(turns: readonly Turn[]): readonly Turn[] {
  const paired: Turn[] = []
  const used = new Set<string>()
  let open: readonly Call[] = []
  for (const turn of turns) {
    if (turn.role === 'user') {
      paired.push(answer(open, turn))
      open = []
      continue
    }
    const named = nameCalls(turn.content, used)
    paired.push(named.content === turn.content ? turn : { role: 'assistant', content: named.content })
    open = named.calls
  }
  if (open.length > 0) paired.push(answer(open, { role: 'user', results: [], content: [] }))
  return paired
}

type Call = { readonly id: string; readonly wire: string; readonly name: string }

const NO_CALLS: readonly Call[] = []

/** Ids may repeat between turns (some providers count from zero): later ones get a suffix. */
function nameCalls(
  content: readonly AssistantTurnPart[],
  used: Set<string>,
): { readonly content: readonly AssistantTurnPart[]; readonly calls: readonly Call[] } {
  if (!content.some(part => part.type === 'tool_use')) return { content, calls: NO_CALLS }
  const calls: Call[] = []
  const renamed = content.map(part => {
    if (part.type !== 'tool_use') return part
    const base = toLegalId(part.call_id)
    let wire = base
    for (let n = 2; used.has(wire); n++) wire = `${base.slice(0, 58)}_${n}`
    used.add(wire)
    calls.push({ id: part.call_id, wire, name: part.name })
    return wire === part.call_id ? part : { ...part, call_id: wire }
  })
  return { content: calls.every(call => call.wire === call.id) ? content : renamed, calls }
}

function answer(calls: readonly Call[], turn: Extract<Turn, { role: 'user' }>): Turn {
  if (calls.length === 0 && turn.results.length === 0) return turn
  if (isAnswered(calls, turn.results)) return turn
  const left = [...turn.results]
  const results = calls.map((call, place): ToolResultPart => {
    const same = left.filter(result => result.call_id === call.id)
    const after = calls.slice(place + 1).filter(other => other.id === call.id).length
    // With more results than calls of this id the latest ones count; earlier ones are dropped.
    for (const stale of same.slice(0, Math.max(0, same.length - after - 1)))
      left.splice(left.indexOf(stale), 1)
    const mine = left.find(result => result.call_id === call.id)
    if (mine) left.splice(left.indexOf(mine), 1)
    const found = mine ?? { output_text: NO_RESULT, content: [], is_error: true }
    return { type: 'tool_result', ...found, call_id: call.wire, name: call.name }
  })
  return { role: 'user', results, content: [...left.map(orphan), ...turn.content] }
}

/** Each call has its result, in order and under its own id and name. */
const isAnswered = (calls: readonly Call[], results: readonly ToolResultPart[]): boolean =>
  calls.length === results.length &&
  new Set(calls.map(call => call.id)).size === calls.length &&
  calls.every(
    ({ id, wire, name }, i) => wire === id && results[i]?.call_id === id && results[i]?.name === name,
  )

const orphan = (result: ToolResultPart): UserPart => ({
  type: 'text',
  text: `Result of an earlier call (${result.name || 'tool'}, ${result.call_id}): ${result.output_text}`,
})
