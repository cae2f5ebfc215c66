/**
 * The thread protocol as a pure fold: log records in, named events out. Lifecycles come in
 * pairs inside one answer (iteration, text, reasoning), a conversation starts or resumes
 * first, and exactly one of paused, completed and canceled ends every answer.
 */

import type { Rec } from '@toolwire/core'
import { withEntry } from '../shared/map-entry.ts'
import { defineWire, type Frame, NO_FRAMES, type Projection } from '../wire.ts'
import { projectBlock } from './project-block.ts'
import { messageDelivered, messageWithdrawn } from './project-queue.ts'
import { projectRun } from './project-run.ts'
import { projectTool } from './project-tool.ts'
import { projectTurn } from './project-turn.ts'
import { initialThreadState, type ThreadState } from './thread-state.ts'

export const threadProjection: Projection<ThreadState> = {
  initial: initialThreadState,
  initialAt: (context, { before }) => ({
    ...initialThreadState(context),
    queued: new Map(Object.entries(before.queued)),
  }),
  step: (state, rec) => project(state, rec),
}

/** Watch any session through it. Options: `input_deltas`, `agents` (see `ThreadOptions`). */
export const threadWire = defineWire('thread', threadProjection)

function project(state: ThreadState, { ev }: Rec): readonly [ThreadState, readonly Frame[]] {
  switch (ev.type) {
    case 'block.delta':
    case 'block.started':
    case 'block.completed':
      return projectBlock(state, ev)
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
    case 'run.started':
    case 'run.paused':
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return projectRun(state, ev)
    case 'input.message':
      if (ev.run_id === undefined) return [state, NO_FRAMES]
      return [{ ...state, queued: withEntry(state.queued, ev.run_id, ev.message_id) }, NO_FRAMES]
    case 'input.delivered':
      return messageDelivered(state, ev)
    case 'input.withdrawn':
      return messageWithdrawn(state, ev)
    case 'session.created':
    case 'session.updated':
    case 'session.bound':
    case 'run.resumed':
    case 'input.changed':
    case 'input.tool_output':
    case 'input.approval':
    case 'input.cancel':
    case 'tool.queued':
    case 'tool.started':
    case 'agent.started':
    case 'agent.finished':
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
