/**
 * Subagents inside a session: begun by a call, kept until that call has ended. So a crash at any
 * place between the subagent's end and the call's result finds what the subagent had to say.
 */
import type { EventOf, SessionEvent } from '../event.ts'
import { pointOf } from './evolve-branch.ts'
import { spend } from './evolve-turn.ts'
import { initialAgent, type SessionState, type SubagentState } from './state.ts'

/** The session with a new subagent. One that exists already is left as it is. */
export function startAgent(state: SessionState, ev: EventOf<'agent.started'>): SessionState {
  if (state.agents[ev.agent_run_id]) return state
  const before = state.past_agents?.[ev.resumes ?? '']
  const at = pointOf(state, ev)
  const agent: SubagentState = {
    ...initialAgent(),
    agent_run_id: ev.agent_run_id,
    name: ev.name,
    parent_call_id: ev.parent_call_id,
    ...(ev.parent_agent_run_id === undefined ? {} : { parent_agent_run_id: ev.parent_agent_run_id }),
    spec: ev,
    ...(at === undefined ? {} : { at }),
    ...(before?.compaction === undefined ? {} : { compaction: before.compaction }),
    messages: [...(before?.messages ?? []), { role: 'user', content: [{ type: 'text', text: ev.prompt }] }],
  }
  const run = state.run && { ...state.run, agents: (state.run.agents ?? 0) + 1 }
  return { ...state, run, agents: { ...state.agents, [ev.agent_run_id]: agent } }
}

/** The first end counts. */
export function finishAgent(state: SessionState, ev: EventOf<'agent.finished'>): SessionState {
  const agent = state.agents[ev.agent_run_id]
  if (!agent || agent.finished) return state
  return { ...state, agents: { ...state.agents, [ev.agent_run_id]: { ...agent, finished: ev } } }
}

/** Remembers how the subagent's run ended; its first end counts. */
export function endRun(agent: SubagentState, ev: SessionEvent): SubagentState {
  switch (ev.type) {
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return agent.ended ? agent : { ...agent, ended: ev }
    default:
      return agent
  }
}

/** Adds a subagent's usage to the session's run. `before` is the subagent while its turn is open. */
export function rollUp(state: SessionState, before: SubagentState, ev: SessionEvent): SessionState {
  if (ev.type !== 'turn.completed' && ev.type !== 'message.aborted') return state
  return { ...state, run: spend(state.run, before.turn, ev) }
}

/** Cancelling the session, not one call or agent, also stops its background agents. */
export function cancelBackground(state: SessionState, ev: EventOf<'input.cancel'>): SessionState {
  if (ev.agent_run_id !== undefined || ev.call_id !== undefined) return state
  const open = Object.values(state.agents).filter(agent => agent.spec.background && !agent.ended)
  if (open.length === 0) return state
  const cancelled = open.map(agent => [agent.agent_run_id, { ...agent, cancel: ev }] as const)
  return { ...state, agents: { ...state.agents, ...Object.fromEntries(cancelled) } }
}

/** True for a background agent and for agents started by one. */
function isInBackground(state: SessionState, agent: SubagentState): boolean {
  if (agent.spec.background) return true
  const parent = state.agents[agent.parent_agent_run_id ?? '']
  return parent !== undefined && isInBackground(state, parent)
}

/**
 * Drops finished subagents whose call has ended and, when the session's run ends, all that do not run in the
 * background. A background agent is dropped when its end was reported or it was stopped.
 */
export function dropSettled(state: SessionState, ev: SessionEvent): SessionState {
  const all = Object.values(state.agents)
  if (all.length === 0) return state
  switch (ev.type) {
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return ev.agent_run_id === undefined
        ? keepOnly(
            state,
            all.filter(agent => isInBackground(state, agent)),
          )
        : state
    case 'input.message':
      return ev.notifies === undefined
        ? state
        : keepOnly(
            state,
            all.filter(agent => agent.agent_run_id !== ev.notifies),
          )
    case 'agent.finished':
    case 'tool.completed':
    case 'tool.failed': {
      return keepOnly(
        state,
        all.filter(agent => !agent.finished || isNeeded(state, agent)),
      )
    }
    default:
      return state
  }
}

function keepOnly(state: SessionState, left: readonly SubagentState[]): SessionState {
  const gone = Object.values(state.agents).filter(agent => !left.includes(agent))
  if (gone.length === 0) return state
  return {
    ...state,
    agents: Object.fromEntries(left.map(agent => [agent.agent_run_id, agent])),
    past_agents: remember(state.past_agents, gone),
    aborted_calls: [...state.aborted_calls, ...gone.flatMap(callIdsOf)],
  }
}

/** Past conversations that can be resumed. */
const KEPT = 16

function remember(
  past: SessionState['past_agents'],
  gone: readonly SubagentState[],
): NonNullable<SessionState['past_agents']> {
  const entries = gone
    .filter(agent => agent.ended)
    .map(
      ({ agent_run_id, spec, messages, compaction }) =>
        [agent_run_id, { spec, messages, compaction }] as const,
    )
  return Object.fromEntries([...Object.entries(past ?? {}), ...entries].slice(-KEPT))
}

function callIdsOf(agent: SubagentState): readonly string[] {
  const answered = agent.messages.flatMap(message => (message.role === 'tool' ? message.results : []))
  return [...answered, ...agent.calls].map(call => call.call_id).concat(agent.aborted_calls)
}

function isNeeded(state: SessionState, agent: SubagentState): boolean {
  if (agent.spec.background && agent.ended?.type !== 'run.cancelled') return true
  const { parent_agent_run_id } = agent
  const parent = parent_agent_run_id === undefined ? state : state.agents[parent_agent_run_id]
  const call = parent?.calls.find(one => one.call_id === agent.parent_call_id)
  return call !== undefined && !call.outcome
}
