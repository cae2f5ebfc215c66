/** Nested agents: started by a call, finished once; their messages refer to them. */

import { activeBranch } from '../branches/branch-tree.ts'
import type { EventOf } from '../event.ts'
import { callOf } from './apply-call.ts'
import { type EventReaders, FAILURE } from './event-shapes.ts'
import { addTo } from './fields.ts'
import { MAYBE_FLAG, MAYBE_TEXT, maybe, TEXT } from './shape.ts'
import { type AgentView, NO_STATS, type SessionView } from './view.ts'

function finished(view: SessionView, ev: EventOf<'agent.finished'>): SessionView {
  const agent = view.agents.get(ev.agent_run_id)
  if (!agent) return view
  const ended = addTo<AgentView>(
    { ...agent, state: ev.outcome, ended_at: Date.parse(ev.ts) },
    { result: ev.result, error: ev.error },
  )
  return { ...view, agents: view.agents.set(agent.id, ended) }
}

/** A suspended agent that continues keeps its text. */
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
      at: pointOf(view, ev),
      model: ev.model,
      background: ev.background || view.agents.get(ev.parent_agent_run_id ?? '')?.background,
    },
  )
  const agents = view.agents.set(agent.id, agent)
  if (!call || call.agents.includes(agent.id)) return { ...view, agents }
  return { ...view, agents, calls: view.calls.set(call.id, { ...call, agents: [...call.agents, agent.id] }) }
}

/** As the state has it: only agents in the background outlive their exchange. */
function pointOf(view: SessionView, ev: EventOf<'agent.started'>): AgentView['at'] {
  const above = view.agents.get(ev.parent_agent_run_id ?? '')?.at
  return above ?? (ev.background ? { branch: activeBranch(view.branches), seq: view.head } : undefined)
}

export const AGENT_READERS: EventReaders<'agent.started' | 'agent.finished'> = {
  'agent.started': [
    {
      agent_run_id: TEXT,
      name: TEXT,
      parent_call_id: TEXT,
      parent_agent_run_id: MAYBE_TEXT,
      prompt: TEXT,
      model: MAYBE_TEXT,
      background: MAYBE_FLAG,
    },
    started,
  ],
  'agent.finished': [
    { agent_run_id: TEXT, outcome: TEXT, result: MAYBE_TEXT, error: maybe(FAILURE) },
    finished,
  ],
}
