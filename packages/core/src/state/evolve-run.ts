/** Runs: started, paused, resumed, ended. */
import type { EventOf, Rec, SessionEvent, ToolSpec } from '../event.ts'
import { flushCalls, isJoined, withoutJoined } from './flush-calls.ts'
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
        messages: isTooLong(state, ev) ? withoutLatest(flushCalls(state)) : flushCalls(state),
        queue: withoutJoined(state.queue),
      }
    default:
      return {}
  }
}

/** Nobody answered the message because it did not fit: kept, it would make every later request fail as well. */
const isTooLong = ({ run }: AgentState, ev: SessionEvent): boolean =>
  ev.type === 'run.failed' && ev.error.code === 'context_too_long' && run?.num_turns === 0

const withoutLatest = (messages: readonly HistoryMessage[]): readonly HistoryMessage[] =>
  messages.at(-1)?.role === 'user' ? messages.slice(0, -1) : messages

/** The later definition of a name counts. The same list when nothing is new. */
function withTools(known: readonly ToolSpec[] = [], more: readonly ToolSpec[]): readonly ToolSpec[] {
  if (more.every(tool => known.includes(tool))) return known
  const names = new Set(more.map(tool => tool.name))
  return [...known.filter(tool => !names.has(tool.name)), ...more]
}

function started(state: AgentState, ev: EventOf<'run.started'>): Partial<AgentState> {
  const before = ev.resumes_run_id === undefined ? undefined : state.run
  const run: RunState = {
    run_id: ev.run_id ?? '',
    conversation_id: ev.conversation_id,
    started_at: ev.ts,
    model: ev.model,
    client_tools: ev.client_tools,
    ...runLimits(ev),
    ...(ev.options === undefined ? {} : { options: ev.options }),
    ...(ev.via === undefined ? {} : { via: ev.via }),
    num_turns: before?.num_turns ?? 0,
    blocks: before?.blocks ?? 0,
    usage: before?.usage ?? [],
    spent_usd: before?.spent_usd ?? 0,
    ...(before?.last === undefined ? {} : { last: before.last }),
    failures: before?.failures ?? 0,
    ...(before?.agents === undefined ? {} : { agents: before.agents }),
  }
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
      mine && !isJoined(mine)
        ? [...settled, { role: mine.event.role, content: mine.event.content }]
        : settled,
  }
}
