/** Messages that waited: delivered to a run, or withdrawn. */
import type { EventOf } from '@toolwire/core'
import { NO_FRAMES } from '../wire.ts'
import { toFrame, toTail } from './chat-frame.ts'
import type { ChatState } from './chat-state.ts'
import type { ChatStep } from './project-run.ts'

export function messageDelivered(state: ChatState, ev: EventOf<'input.delivered'>): ChatStep {
  const { run } = state
  if (!run || run.ended) return [state, NO_FRAMES]
  const { message_id, run_id, turn } = ev
  return [state, [toFrame({ type: 'message_delivered', message_id, run_id, turn }, run.tail)]]
}

/** Belongs to the conversation that runs, so that its reader keeps what it has; else to the message's own. */
export function messageWithdrawn(state: ChatState, ev: EventOf<'input.withdrawn'>): ChatStep {
  const { message_id, by, run_id = '' } = ev
  const tail = state.run && !state.run.ended ? state.run.tail : toTail(state.session_id, run_id)
  return [state, [toFrame({ type: 'message_withdrawn', message_id, by, run_id }, tail)]]
}
