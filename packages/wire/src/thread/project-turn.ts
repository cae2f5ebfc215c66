/**
 * Iterations. The log ends a turn when the model has spoken; this wire ends an iteration when
 * its tools are done too, at the latest with the answer, so that both ends are in one answer.
 */
import { type EventOf, sumUsage } from '@toolwire/core'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { closeBlocks } from './close-blocks.ts'
import { toFrame } from './thread-frame.ts'
import type { ThreadState } from './thread-state.ts'

type ThreadStep = readonly [ThreadState, readonly Frame[]]
type TurnEvent = EventOf<'turn.started' | 'message.started' | 'message.aborted' | 'turn.completed'>

export function projectTurn(state: ThreadState, ev: TurnEvent): ThreadStep {
  const { conversation } = state
  if (!conversation || conversation.ended) return [state, NO_FRAMES]
  if (ev.type === 'message.aborted')
    return closeBlocks(count(state, ev), ev.ts, block => block.agent_id === ev.agent_run_id)
  // A nested agent's usage is added, though its turns are not sent.
  if (ev.agent_run_id !== undefined) return [count(state, ev), NO_FRAMES]
  switch (ev.type) {
    case 'turn.started':
      return turnStarted(state, ev)
    case 'message.started': {
      const data = { assistant_msg_id: ev.message_id, thread_id: state.thread_id, warnings: ev.warnings }
      return [state, [toFrame('conversation.data', data, ev.ts)]]
    }
    case 'turn.completed': {
      const next = count(state, ev)
      return ev.has_next ? [next, NO_FRAMES] : closeIteration(next, ev.ts, false)
    }
  }
}

function count(state: ThreadState, ev: TurnEvent): ThreadState {
  const { conversation } = state
  if (!conversation || !('usage' in ev) || !ev.usage) return state
  return { ...state, conversation: { ...conversation, usage: sumUsage(conversation.usage, ev.usage) } }
}

/** Sends the open iteration as completed; nothing if none is open. */
export function closeIteration(state: ThreadState, ts: string, hasNext: boolean): ThreadStep {
  const { conversation } = state
  const iteration = conversation?.open_iteration
  if (!conversation || iteration === undefined) return [state, NO_FRAMES]
  const next = { ...state, conversation: { ...conversation, open_iteration: undefined } }
  return [next, [toFrame('iteration.completed', { iteration, has_next_iteration: hasNext }, ts)]]
}

function turnStarted(state: ThreadState, ev: EventOf<'turn.started'>): ThreadStep {
  const [closed, ending] = closeIteration(state, ev.ts, true)
  const { conversation } = closed
  if (!conversation) return [closed, ending]
  const iteration = conversation.next_iteration
  const opened = { ...conversation, next_iteration: iteration + 1, open_iteration: iteration }
  const frames = [
    ...ending,
    toFrame('iteration.started', { iteration }, ev.ts),
    toFrame('model.in_progress', { model: ev.model }, ev.ts),
  ]
  return [{ ...closed, conversation: opened }, frames]
}
