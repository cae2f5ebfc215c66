/**
 * Branches in the state: `messages` is the path to the active branch; the exchanges of other branches are kept aside.
 * Each exchange remembers what it changed beside the messages, so that a branch that is left comes back whole.
 */
import { isRestoredNote, sessionNotes } from '../branches/branch-notes.ts'
import {
  activeBranch,
  type BranchPoint,
  branchPath,
  hasBranch,
  openBranch,
  selectBranch,
} from '../branches/branch-tree.ts'
import type { EventOf, Rec, SessionEvent } from '../event.ts'
import { skillNote } from '../skill-note.ts'
import { flushCalls, toMessage } from './flush-calls.ts'
import type { AgentState, Exchange, HiddenExchange, SessionState } from './state.ts'

/** Opens or selects a branch. Changes nothing while a run has not ended. */
export function evolveBranch(
  state: SessionState,
  ev: EventOf<'branch.opened' | 'branch.selected'>,
): SessionState {
  if (state.phase !== 'idle') return state
  const { branches } = state
  const tree =
    ev.type === 'branch.opened' ? openBranch(branches, ev, state.head) : selectBranch(branches, ev.branch_id)
  if (!tree || tree === branches) return state
  const isShown = branchPath(tree)
  const all = allExchanges(state)
  const shown = all.filter(isShown)
  const before = state.messages.slice(0, state.exchanges?.[0]?.from ?? state.messages.length)
  const messages = [...before]
  const exchanges: Exchange[] = []
  for (const { messages: own, ...exchange } of shown) {
    exchanges.push({ ...exchange, from: messages.length })
    messages.push(...own)
  }
  const { compaction: _, known_tools: __, context_tokens: ___, ...rest } = state
  return {
    ...rest,
    branches: tree,
    messages,
    exchanges,
    hidden: all.filter(exchange => !isShown(exchange)),
    ...restored(state, shown),
  }
}

/** Every exchange of the session with its messages, oldest first. */
export const allExchanges = (state: SessionState): readonly HiddenExchange[] =>
  [...visible(state), ...(state.hidden ?? [])].toSorted((a, b) => a.seq - b.seq)

/** The history of a branch, which need not be the active one. */
export function messagesOf(state: SessionState, branch: string): SessionState['messages'] {
  if (branch === activeBranch(state.branches) || !hasBranch(state.branches, branch)) return state.messages
  const before = state.messages.slice(0, state.exchanges?.[0]?.from ?? state.messages.length)
  const isShown = branchPath(state.branches, branch)
  return [
    ...before,
    ...allExchanges(state)
      .filter(isShown)
      .flatMap(({ messages }) => messages),
  ]
}

/** The exchanges of the active branch with their messages. */
function visible({ exchanges = [], messages }: SessionState): readonly HiddenExchange[] {
  return exchanges.map(({ from, ...exchange }, at) => ({
    ...exchange,
    messages: messages.slice(from, exchanges[at + 1]?.from ?? messages.length),
  }))
}

/** Returns the values that the exchanges of a branch changed last. */
function restored(state: SessionState, shown: readonly HiddenExchange[]): Partial<SessionState> {
  const latest = Object.assign({}, ...shown.map(({ changed }) => changed)) as NonNullable<Exchange['changed']>
  const notes = Object.assign({}, sessionNotes(state.notes), ...shown.map(({ changed }) => changed?.notes))
  const { context } = state
  return {
    ...(latest.compaction ? { compaction: { ...latest.compaction, is_news: false } } : {}),
    ...(latest.known_tools ? { known_tools: latest.known_tools } : {}),
    ...(context
      ? { context: { ...context, facts: latest.facts ?? context.made_with ?? context.facts } }
      : {}),
    ...(state.notes ? { notes } : {}),
  }
}

/** Notes the start of an exchange, and what a record of the root agent changed that its branch owns. */
export function noteExchange(before: SessionState, state: SessionState, rec: Rec): SessionState {
  const { ev } = rec
  switch (ev.type) {
    case 'run.started':
      return startExchange(before, state, { ...rec, ev })
    case 'history.compacted':
      return change(state, { compaction: state.compaction })
    case 'context.set':
    case 'context.changed':
      return change(state, { facts: state.context?.facts })
    case 'skill.loaded': {
      const name = skillNote(ev.name)
      return noteValue(state, { name, value: state.notes?.[name] })
    }
    case 'note':
      return isRestoredNote(ev.name) ? noteValue(state, ev) : state
    default:
      return state
  }
}

function startExchange(
  before: SessionState,
  state: SessionState,
  { seq, ev }: Rec & { readonly ev: EventOf<'run.started'> },
): SessionState {
  const tools = state.known_tools === before.known_tools ? {} : { known_tools: state.known_tools }
  if (ev.resumes_run_id !== undefined && before.run) return change(state, tools)
  const input = before.queue.find(queued => queued.event.run_id === ev.run_id)
  const exchange: Exchange = {
    seq,
    branch: activeBranch(state.branches),
    from: flushCalls(before).length,
    conversation_id: ev.conversation_id,
    ...(input === undefined ? {} : { input: input.seq, message_id: input.event.message_id }),
    ...(input?.event.client_message_id === undefined
      ? {}
      : { client_message_id: input.event.client_message_id }),
  }
  return change({ ...state, exchanges: [...(state.exchanges ?? []), exchange] }, tools)
}

type ExchangeChanges = NonNullable<Exchange['changed']>

function change(
  state: SessionState,
  more: { readonly [K in keyof ExchangeChanges]: ExchangeChanges[K] | undefined },
): SessionState {
  const last = state.exchanges?.at(-1)
  if (!last || !state.exchanges || Object.values(more).every(value => value === undefined)) return state
  const changed = { ...last.changed, ...more } as ExchangeChanges
  return { ...state, exchanges: state.exchanges.with(-1, { ...last, changed }) }
}

/** A note about something that another branch began goes there, such as the end of its background command. */
function noteValue(
  state: SessionState,
  { name, value }: Pick<EventOf<'note'>, 'name' | 'value'>,
): SessionState {
  const at = (state.hidden ?? []).findIndex(({ changed }) => changed?.notes && name in changed.notes)
  const hidden = state.hidden?.[at]
  if (!name.startsWith('task:') || !hidden || !state.hidden || isOfPath(state, name))
    return change(state, { notes: { ...state.exchanges?.at(-1)?.changed?.notes, [name]: value } })
  const { [name]: _, ...notes } = state.notes ?? {}
  const changed = { ...hidden.changed, notes: { ...hidden.changed?.notes, [name]: value } }
  return { ...state, notes, hidden: state.hidden.with(at, { ...hidden, changed }) }
}

const isOfPath = ({ exchanges = [] }: SessionState, name: string): boolean =>
  exchanges.some(({ changed }) => changed?.notes && name in changed.notes)

/** True for the report of an agent that another branch started. It starts no run. */
export function isReportOfOther(state: SessionState, ev: SessionEvent): boolean {
  if (ev.type !== 'input.message' || ev.notifies === undefined || !state.branches) return false
  const at = state.agents[ev.notifies]?.at
  return at !== undefined && !branchPath(state.branches)(at)
}

/** Keeps the report with its branch, where the model gets it when that branch is continued. */
export function fileReport(state: SessionState, ev: EventOf<'input.message'>): SessionState {
  const branch = state.agents[ev.notifies ?? '']?.at?.branch
  const at = (state.hidden ?? []).findLastIndex(exchange => exchange.branch === branch)
  const exchange = state.hidden?.[at]
  if (!exchange || !state.hidden) return state
  const messages = [...exchange.messages, toMessage(ev)]
  return { ...state, hidden: state.hidden.with(at, { ...exchange, messages }) }
}

/** The start of an agent in the background; one that works for another has the point of that one. */
export function pointOf(
  { agents, branches, head }: SessionState,
  ev: EventOf<'agent.started'>,
): BranchPoint | undefined {
  const above = agents[ev.parent_agent_run_id ?? '']?.at
  return above ?? (ev.background ? { branch: activeBranch(branches), seq: head } : undefined)
}

/** The note of a branch follows its first message. */
export const branchNote = (ev: EventOf<'input.message'>): AgentState['messages'] =>
  ev.branch?.note === undefined ? [] : [{ role: 'system', content: [{ type: 'text', text: ev.branch.note }] }]
