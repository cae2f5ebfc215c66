/** Model messages: started, aborted, ended. Shown as provider-shaped stream events. */
import { type EventOf, sumUsage } from '@toolwire/core'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { tailFor, toFrame, toStreamEvent } from './chat-frame.ts'
import { type ChatState, without } from './chat-state.ts'
import { toWireUsage, wholeText } from './result.ts'

type ChatStep = readonly [ChatState, readonly Frame[]]
type ChatTurnEvent = EventOf<'turn.started' | 'message.started' | 'message.aborted' | 'turn.completed'>

export function projectTurn(state: ChatState, ev: ChatTurnEvent): ChatStep {
  switch (ev.type) {
    case 'turn.started': {
      const { run } = state
      return run && ev.agent_run_id === undefined
        ? [{ ...state, run: { ...run, model: ev.model } }, NO_FRAMES]
        : [state, NO_FRAMES]
    }
    case 'message.started':
      return messageStarted(state, ev)
    case 'message.aborted':
      return messageAborted(state, ev)
    case 'turn.completed':
      return turnCompleted(state, ev)
  }
}

function messageStarted(state: ChatState, ev: EventOf<'message.started'>): ChatStep {
  const tail = tailFor(state, ev.agent_run_id)
  if (tail === undefined) return [state, NO_FRAMES]
  const message = {
    id: ev.provider_message_id,
    role: ev.role,
    ...(ev.agent_run_id === undefined && state.run ? { model: state.run.model } : {}),
  }
  const { message_id, warnings } = ev
  const body = { message, message_id, ...(warnings ? { warnings } : {}) }
  const { run } = state
  const opened = run && ev.agent_run_id === undefined ? { ...state, run: { ...run, openText: '' } } : state
  return [opened, [toStreamEvent('message_start', body, tail)]]
}

/** Closes what the aborted message opened: its calls will never run. */
function messageAborted(state: ChatState, ev: EventOf<'message.aborted'>): ChatStep {
  const tail = tailFor(state, ev.agent_run_id)
  const next = {
    ...count(state, ev),
    blocks: without(state.blocks, block => block.message_id === ev.message_id),
    calls: without(state.calls, call => call.message_id === ev.message_id),
  }
  if (tail === undefined) return [next, NO_FRAMES]
  const { error } = ev
  const body = {
    type: 'message_aborted',
    message_id: ev.message_id,
    reason: ev.reason,
    ...(error ? { error: error.message, code: error.code, retryable: error.retryable } : {}),
  }
  return [next, [toFrame(body, tail)]]
}

function turnCompleted(state: ChatState, ev: EventOf<'turn.completed'>): ChatStep {
  const tail = tailFor(state, ev.agent_run_id)
  const { run } = state
  if (!run) return [state, NO_FRAMES]
  // A nested agent's usage is added even if its text is hidden.
  const counted = count(state, ev)
  if (tail === undefined) return [counted, NO_FRAMES]
  const frames = [
    toStreamEvent(
      'message_delta',
      {
        delta: { stop_reason: ev.stop_reason, stop_sequence: null },
        usage: toWireUsage(ev.usage),
        finish: ev.finish,
      },
      tail,
    ),
    toStreamEvent('message_stop', {}, tail),
  ]
  if (ev.agent_run_id !== undefined || !counted.run) return [counted, frames]
  const ended = { num_turns: run.num_turns + 1, text: wholeText(run), openText: '' }
  return [{ ...counted, run: { ...counted.run, ...ended } }, frames]
}

/** Adds a message's usage, also an aborted one's, to the totals of a pause. */
function count(state: ChatState, ev: EventOf<'turn.completed' | 'message.aborted'>): ChatState {
  const { run } = state
  if (!run || !ev.usage) return state
  const usage = sumUsage(run.usage, ev.usage)
  return { ...state, run: { ...run, usage, cost_usd: run.cost_usd + (ev.cost_usd ?? 0) } }
}
