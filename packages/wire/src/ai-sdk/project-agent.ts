/** Nested agents: one data part each, with the newest text. Their own messages are not part of the answer. */

import type { EventOf, SessionEvent } from '@toolwire/core'
import { withEntry } from '../shared/map-entry.ts'
import type { AiSdkState, AiSdkStep, Exchange } from './ai-sdk-state.ts'
import type { UiChunk } from './ui-chunk.ts'

const TEXT_MS = 500
const MAX_TEXT = 2048

export function projectAgent(state: AiSdkState, exchange: Exchange, ev: SessionEvent): AiSdkStep {
  switch (ev.type) {
    case 'agent.started': {
      const agents = withEntry(exchange.agents, ev.agent_run_id, { name: ev.name, at: Date.parse(ev.ts) })
      const chunk = toPart(ev.agent_run_id, { name: ev.name, callId: ev.parent_call_id, state: 'running' })
      return [{ ...state, exchange: { ...exchange, agents } }, [chunk]]
    }
    case 'agent.finished':
      return agentFinished(state, exchange, ev)
    case 'block.completed':
      return agentText(state, exchange, ev)
    default:
      return [state, []]
  }
}

function agentFinished(state: AiSdkState, exchange: Exchange, ev: EventOf<'agent.finished'>): AiSdkStep {
  const agent = exchange.agents.get(ev.agent_run_id)
  const text = cut(ev.result ?? ev.error?.message)
  const ended = ev.outcome === 'success' ? 'done' : ev.outcome
  return [state, [toPart(ev.agent_run_id, { name: agent?.name ?? '', state: ended, text })]]
}

/** At most two per second. */
function agentText(state: AiSdkState, exchange: Exchange, ev: EventOf<'block.completed'>): AiSdkStep {
  const id = ev.agent_run_id ?? ''
  const agent = exchange.agents.get(id)
  const at = Date.parse(ev.ts)
  if (!agent || !ev.text || at - agent.at < TEXT_MS) return [state, []]
  const agents = withEntry(exchange.agents, id, { ...agent, at })
  const part = toPart(id, { name: agent.name, state: 'running', text: cut(ev.text) })
  return [{ ...state, exchange: { ...exchange, agents } }, [part]]
}

const toPart = (id: string, data: object): UiChunk => ({ type: 'data-agent', id, data })

const cut = (text: string | undefined): string | undefined => text?.slice(0, MAX_TEXT)
