/** Messages that waited: delivered to a run, or withdrawn. */
import type { EventOf } from '@toolwire/core'
import { NO_FRAMES } from '../wire.ts'
import type { StepResult } from './project-run.ts'
import { toFrame } from './thread-frame.ts'
import type { ThreadState } from './thread-state.ts'

export function messageDelivered(state: ThreadState, ev: EventOf<'input.delivered'>): StepResult {
  const { conversation, thread_id } = state
  if (!conversation || conversation.ended) return [state, NO_FRAMES]
  const { message_id, run_id, turn, ts } = ev
  const { conversation_id } = conversation
  const body = { message_id, run_id, turn, conversation_id, thread_id }
  return [state, [toFrame('message_delivered', body, ts)]]
}

/** Belongs to the conversation that runs; else to the one that the message would have started. */
export function messageWithdrawn(state: ThreadState, ev: EventOf<'input.withdrawn'>): StepResult {
  const { message_id, by, run_id, ts } = ev
  const { conversation, thread_id } = state
  const conversation_id = conversation && !conversation.ended ? conversation.conversation_id : run_id
  return [state, [toFrame('message_withdrawn', { message_id, by, run_id, conversation_id, thread_id }, ts)]]
}
