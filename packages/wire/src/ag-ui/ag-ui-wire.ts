/**
 * The AG-UI protocol as a pure fold, for clients of version 1.0 and of 0.0.x. Message ids are those of the log, so that
 * none repeats within a thread. Nested agents are activities: their texts and calls are not part of the answer.
 */
import type { Rec } from '@toolwire/core'
import { withEntry } from '../shared/map-entry.ts'
import { defineWire, NO_FRAMES, type Projection } from '../wire.ts'
import { type AgUiState, type AgUiStep, initialAgUiState } from './ag-ui-state.ts'
import { activity, projectCall } from './project-call.ts'
import { blockCompleted, blockDelta, blockStarted, closeStep, messageStarted } from './project-message.ts'
import { runEnded, runStarted } from './project-run.ts'

const MAX_TEXT = 2048

export const agUiProjection: Projection<AgUiState> = {
  initial: initialAgUiState,
  initialAt: initialAgUiState,
  step(state, rec) {
    const [next, events] = project(state, rec)
    return [next, events.length === 0 ? NO_FRAMES : events.map(event => ({ data: JSON.stringify(event) }))]
  },
}

/** Options: `AgUiOptions`. Follow one run through it. */
export const agUiWire = defineWire('ag-ui', agUiProjection)

function project(state: AgUiState, { ev }: Rec): AgUiStep {
  if (ev.type === 'run.started') return ev.agent_run_id === undefined ? runStarted(state, ev) : [state, []]
  if (!state.run?.isOpen) return [state, []]
  switch (ev.type) {
    case 'tool.ready':
    case 'tool.client_requested':
    case 'tool.progress':
    case 'tool.completed':
    case 'tool.failed':
      return projectCall(state, ev)
    case 'agent.started': {
      const agents = withEntry(state.agents, ev.agent_run_id, { name: ev.name, at: Date.parse(ev.ts) })
      const content = { name: ev.name, toolCallId: ev.parent_call_id, state: 'running' }
      return [{ ...state, agents }, [activity(`agent_${ev.agent_run_id}`, 'agent', content)]]
    }
    case 'agent.finished': {
      const ended = ev.outcome === 'success' ? 'done' : ev.outcome
      const text = (ev.result ?? ev.error?.message ?? '').slice(0, MAX_TEXT)
      const name = state.agents.get(ev.agent_run_id)?.name ?? ''
      return [state, [activity(`agent_${ev.agent_run_id}`, 'agent', { name, state: ended, text })]]
    }
    default:
      return ev.agent_run_id === undefined ? projectRoot(state, ev) : [state, []]
  }
}

function projectRoot(state: AgUiState, ev: Rec['ev']): AgUiStep {
  switch (ev.type) {
    case 'message.started':
      return messageStarted(state, ev)
    case 'message.aborted':
    case 'turn.completed':
      return closeStep(state)
    case 'block.started':
      return blockStarted(state, ev)
    case 'block.delta':
      return blockDelta(state, ev)
    case 'block.completed':
      return blockCompleted(state, ev)
    case 'run.paused':
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return runEnded(state, ev)
    default:
      return [state, []]
  }
}
