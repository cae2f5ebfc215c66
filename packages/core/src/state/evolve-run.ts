/** Runs: started, paused, resumed, ended. */
import type { EventOf, Rec } from '../event.ts'
import { flushCalls } from './flush-calls.ts'
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
        messages: flushCalls(state),
      }
    default:
      return {}
  }
}

function started(state: AgentState, ev: EventOf<'run.started'>): Partial<AgentState> {
  const before = ev.resumes_run_id === undefined ? undefined : state.run
  const run: RunState = {
    run_id: ev.run_id ?? '',
    conversation_id: ev.conversation_id,
    started_at: ev.ts,
    model: ev.model,
    client_tools: ev.client_tools,
    ...(ev.max_turns === undefined ? {} : { max_turns: ev.max_turns }),
    ...(ev.max_cost_usd === undefined ? {} : { max_cost_usd: ev.max_cost_usd }),
    ...(ev.options === undefined ? {} : { options: ev.options }),
    ...(ev.via === undefined ? {} : { via: ev.via }),
    num_turns: before?.num_turns ?? 0,
    blocks: before?.blocks ?? 0,
    usage: before?.usage ?? [],
    ...(before?.last === undefined ? {} : { last: before.last }),
    failures: before?.failures ?? 0,
  }
  if (before) return { phase: 'running', run }
  const mine = state.queue.find(q => q.event.run_id === ev.run_id)
  const settled = flushCalls(state)
  return {
    phase: 'running',
    run,
    turn: undefined,
    calls: [],
    queue: state.queue.filter(q => q !== mine),
    messages: mine ? [...settled, { role: mine.event.role, content: mine.event.content }] : settled,
  }
}
