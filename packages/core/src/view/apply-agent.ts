/** Nested agents: started by a call, finished once; their messages refer to them. */
import type { EventOf } from '../event.ts'
import { callOf } from './apply-call.ts'
import { addTo } from './fields.ts'
import { type AgentView, NO_STATS, type SessionView } from './view.ts'

export function applyAgent(view: SessionView, ev: EventOf<'agent.started' | 'agent.finished'>): SessionView {
  if (ev.type === 'agent.started') return started(view, ev)
  const agent = view.agents.get(ev.agent_run_id)
  if (!agent) return view
  const finished = addTo<AgentView>(
    { ...agent, state: ev.outcome, ended_at: Date.parse(ev.ts) },
    { result: ev.result, error: ev.error },
  )
  return { ...view, agents: view.agents.set(agent.id, finished) }
}

/** A suspended agent that goes on keeps what it has said. */
function started(view: SessionView, ev: EventOf<'agent.started'>): SessionView {
  const call = callOf(view, ev.parent_call_id)
  const before = view.agents.get(ev.agent_run_id)
  const agent: AgentView = addTo<AgentView>(
    {
      id: ev.agent_run_id,
      name: ev.name,
      parent_call: call?.id ?? ev.parent_call_id,
      prompt: ev.prompt,
      state: 'running',
      messages: before?.messages ?? [],
      stats: before?.stats ?? NO_STATS,
      started_at: before?.started_at ?? Date.parse(ev.ts),
    },
    {
      parent_agent: ev.parent_agent_run_id,
      model: ev.model,
      background: ev.background || view.agents.get(ev.parent_agent_run_id ?? '')?.background,
    },
  )
  const agents = view.agents.set(agent.id, agent)
  if (!call || call.agents.includes(agent.id)) return { ...view, agents }
  return { ...view, agents, calls: view.calls.set(call.id, { ...call, agents: [...call.agents, agent.id] }) }
}
