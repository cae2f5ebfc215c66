/**
 * The streaming chat API as a pure fold: log records in, JSON frames out. One answer is
 * `system`, blocks with their deltas, `tool_use` and `tool_result`, then always `result`
 * and `done`; a failure puts `error` before them. Unknown frame types may be ignored.
 */
import type { Rec } from '@toolwire/core'
import { defineWire, type Frame, NO_FRAMES, type Projection } from '../wire.ts'
import { type ChatState, chatStateAt, initialChatState } from './chat-state.ts'
import { blockCompleted, blockDelta, blockStarted } from './project-block.ts'
import { messageDelivered, messageWithdrawn } from './project-queue.ts'
import { agentFinished, agentStarted, greet, projectSession, runEnded, runStarted } from './project-run.ts'
import { projectTool } from './project-tool.ts'
import { projectTurn } from './project-turn.ts'

export const chatProjection: Projection<ChatState> = {
  initial: context => initialChatState(context.session_id),
  initialAt: (context, start) => chatStateAt(context.session_id, start),
  step(state, rec) {
    const stepped = project(state, rec)
    const [next, frames] = stepped
    if (frames.length === 0 || !state.run || state.run.greeted || next.run?.greeted) return stepped
    const [, greeting] = greet(state, state.run)
    return [next.run ? { ...next, run: { ...next.run, greeted: true } } : next, [...greeting, ...frames]]
  },
}

/** Watch any session through it; stateless to the caller, see `Wire`. */
export const chatWire = defineWire('chat', chatProjection)

function project(state: ChatState, rec: Rec): readonly [ChatState, readonly Frame[]] {
  const { ev } = rec
  switch (ev.type) {
    case 'block.delta':
      return blockDelta(state, ev)
    case 'block.started':
      return blockStarted(state, ev)
    case 'block.completed':
      return blockCompleted(state, ev)
    case 'turn.started':
    case 'message.started':
    case 'message.aborted':
    case 'turn.completed':
      return projectTurn(state, ev)
    case 'tool.ready':
    case 'tool.approval_requested':
    case 'tool.approval_resolved':
    case 'tool.client_requested':
    case 'tool.progress':
    case 'tool.completed':
    case 'tool.failed':
      return projectTool(state, ev)
    case 'session.created':
    case 'session.updated':
    case 'session.bound':
      return projectSession(state, ev)
    case 'run.started':
      return [ev.agent_run_id === undefined ? runStarted(state, ev) : state, NO_FRAMES]
    case 'run.paused':
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return ev.agent_run_id === undefined ? runEnded(state, ev) : [state, NO_FRAMES]
    case 'agent.started':
      return [agentStarted(state, ev), NO_FRAMES]
    case 'agent.finished':
      return [agentFinished(state, ev), NO_FRAMES]
    case 'input.delivered':
      return messageDelivered(state, ev)
    case 'input.withdrawn':
      return messageWithdrawn(state, ev)
    case 'run.resumed':
    case 'input.message':
    case 'input.changed':
    case 'input.tool_output':
    case 'input.approval':
    case 'input.cancel':
    case 'tool.queued':
    case 'tool.started':
    case 'history.compacted':
    case 'context.set':
    case 'context.changed':
    case 'skill.loaded':
    case 'hook.answered':
    case 'branch.opened':
    case 'branch.selected':
    case 'note':
      return [state, NO_FRAMES]
  }
}
