/**
 * The AI SDK's UI message stream as a pure fold, in the dialects of `ai` 5, 6 and 7. One message in the page is one
 * exchange: what the user wrote, answered over all pauses under one id. A reader of that version knows every chunk.
 */
import type { EventOf, Rec } from '@toolwire/core'
import { defineWire, NO_FRAMES, type Projection, type Wire } from '../wire.ts'
import { type AiSdkState, type AiSdkStep, type Exchange, initialAiSdkState } from './ai-sdk-state.ts'
import { projectAgent } from './project-agent.ts'
import { blockCompleted, blockDelta, blockStarted } from './project-block.ts'
import { messageAborted, messageStarted, runEnded, runStarted, turnCompleted } from './project-run.ts'
import { projectTool } from './project-tool.ts'
import { type Dialect, DONE, toFrame, type UiChunk } from './ui-chunk.ts'

const projectionOf = (dialect: Dialect): Projection<AiSdkState> => ({
  initial: initialAiSdkState(dialect),
  // A run that resumes nothing starts a new message: nothing before it matters.
  initialAt: initialAiSdkState(dialect),
  step(state, rec) {
    const { exchange } = state
    if (rec.ev.type === 'block.delta') {
      if (!exchange?.isOpen || rec.ev.agent_run_id !== undefined) return [state, NO_FRAMES]
      const [next, data] = blockDelta(state, exchange, rec.ev)
      return [next, data === undefined ? NO_FRAMES : [{ data }]]
    }
    const [next, chunks] = project(state, rec)
    return [next, chunks.length === 0 ? NO_FRAMES : chunks.map(toFrame)]
  },
})

const wires: Readonly<Record<Dialect, Wire>> = {
  5: defineWire('ai-sdk-5', projectionOf(5), { end: DONE }),
  6: defineWire('ai-sdk-6', projectionOf(6), { end: DONE }),
  7: defineWire('ai-sdk-7', projectionOf(7), { end: DONE }),
}

/** Options: `AiSdkOptions`. Follow a conversation through it, from its first record. */
export const aiSdkWire = (dialect: Dialect): Wire => wires[dialect]

function project(state: AiSdkState, rec: Rec): AiSdkStep {
  const { ev } = rec
  if (ev.type === 'run.started') return ev.agent_run_id === undefined ? runStarted(state, ev) : [state, []]
  const { exchange } = state
  return exchange?.isOpen ? projectOpen(state, exchange, rec) : [state, []]
}

function projectOpen(state: AiSdkState, exchange: Exchange, rec: Rec): AiSdkStep {
  const { seq, epoch, ev } = rec
  switch (ev.type) {
    case 'tool.ready':
    case 'tool.approval_requested':
    case 'tool.approval_resolved':
    case 'tool.client_requested':
    case 'tool.progress':
    case 'tool.completed':
    case 'tool.failed':
      return projectTool(state, exchange, ev)
    case 'agent.started':
    case 'agent.finished':
      return projectAgent(state, exchange, ev)
    default:
      if (ev.agent_run_id !== undefined) return projectAgent(state, exchange, ev)
  }
  switch (ev.type) {
    case 'block.started':
      return blockStarted(state, exchange, ev)
    case 'block.completed':
      return blockCompleted(state, exchange, ev)
    case 'message.started':
      return messageStarted(state, exchange)
    case 'message.aborted':
      return messageAborted(state, exchange, ev)
    case 'turn.completed':
      return turnCompleted(state, exchange, ev)
    case 'input.delivered':
      return [state, [toDelivery(ev)]]
    case 'run.paused':
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return runEnded(state, exchange, { seq, epoch, ev })
    default:
      return [state, []]
  }
}

/** A message that waited reached the model of the running response. */
function toDelivery({ message_id, run_id, turn }: EventOf<'input.delivered'>): UiChunk {
  return { type: 'data-delivery', id: message_id, data: { messageId: message_id, runId: run_id, turn } }
}
