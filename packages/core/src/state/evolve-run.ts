/** Runs: started, paused, resumed, ended. */
import type { EventOf, Rec, SessionEvent, ToolSpec } from '../event.ts'
import { isVendorWire } from '../vendor-wires.ts'
import { branchNote } from './evolve-branch.ts'
import { holdQueue } from './evolve-queue.ts'
import { flushCalls, isJoined, toMessage, withoutJoined } from './flush-calls.ts'
import type { HistoryMessage } from './history.ts'
import { runLimits } from './run-limits.ts'
import type { AgentState, RunState } from './state.ts'

export function evolveRun(state: AgentState, rec: Rec): Partial<AgentState> {
  const { ev } = rec
  switch (ev.type) {
    case 'run.started':
      return started(state, ev)
    case 'run.paused':
      return { phase: 'paused' }
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return {
        phase: 'idle',
        run: undefined,
        turn: undefined,
        cancel: undefined,
        calls: [],
        messages: isRejected(state, ev) ? withoutLatest(flushCalls(state)) : flushCalls(state),
        queue: holdQueue(withoutJoined(state.queue), 'queue_held' in ev ? ev.queue_held : undefined),
      }
    default:
      return {}
  }
}

/** No model may get the message: it was too long, so that every later request would fail, or a hook blocked it. */
const isRejected = ({ run }: AgentState, ev: SessionEvent): boolean =>
  ev.type === 'run.failed' &&
  (ev.error.code === 'context_too_long' || ev.error.code === 'message_blocked') &&
  run?.num_turns === 0

/** Notices of the server may follow the message; they stay. */
function withoutLatest(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const at = messages.findLastIndex(({ role }) => role !== 'system')
  return messages[at]?.role === 'user' ? messages.toSpliced(at, 1) : messages
}

/** Replaces definitions in place by name and appends new names; the same list if all are known as they are. */
function withTools(known: readonly ToolSpec[] = NO_TOOLS, more: readonly ToolSpec[]): readonly ToolSpec[] {
  const byName = new Map(known.map(tool => [tool.name, tool]))
  if (more.every(tool => JSON.stringify(tool) === JSON.stringify(byName.get(tool.name)))) return known
  return [...new Map([...known, ...more].map(tool => [tool.name, tool])).values()]
}

const NO_TOOLS: readonly ToolSpec[] = []

function started(state: AgentState, ev: EventOf<'run.started'>): Partial<AgentState> {
  const before = ev.resumes_run_id === undefined ? undefined : state.run
  const run = toRun(before, ev)
  const known_tools = withTools(state.known_tools, ev.client_tools)
  if (before) return { phase: 'running', run, known_tools }
  const mine = state.queue.find(q => q.event.run_id === ev.run_id)
  const settled = flushCalls(state)
  return {
    phase: 'running',
    run,
    known_tools,
    turn: undefined,
    calls: [],
    queue: withoutJoined(state.queue).filter(q => q !== mine),
    messages:
      mine && !isJoined(mine) ? [...settled, toMessage(mine.event), ...branchNote(mine.event)] : settled,
  }
}

/** `before` is the run that this one resumes. */
function toRun(before: RunState | undefined, ev: EventOf<'run.started'>): RunState {
  return {
    run_id: ev.run_id ?? '',
    conversation_id: ev.conversation_id,
    started_at: ev.ts,
    model: ev.model,
    client_tools: ev.client_tools,
    ...runLimits(ev),
    ...(ev.options === undefined ? {} : { options: ev.options }),
    ...(ev.via === undefined ? {} : { via: ev.via }),
    num_turns: before?.num_turns ?? 0,
    ...(before && isVendorWire(ev.via?.protocol) ? { turns_before: before.num_turns } : {}),
    blocks: before?.blocks ?? 0,
    usage: before?.usage ?? [],
    spent_usd: before?.spent_usd ?? 0,
    ...(before?.last === undefined ? {} : { last: before.last }),
    failures: before?.failures ?? 0,
    ...(before?.agents === undefined ? {} : { agents: before.agents }),
    ...(before?.hooks === undefined ? {} : { hooks: before.hooks }),
  }
}
