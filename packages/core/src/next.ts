/**
 * What an agent needs now, computed from its state alone. The runtime performs the
 * step, appends what happened and asks again; resuming after a crash is therefore
 * the same call as continuing.
 */
import type { PauseReason, PendingItem } from './event.ts'
import type { AgentState, CallState, QueuedMessage } from './state/state.ts'

export type Step =
  | { readonly do: 'start'; readonly input: QueuedMessage }
  | { readonly do: 'resume'; readonly resolved: readonly string[]; readonly remaining: readonly string[] }
  /** A turn that nobody ended was cut off by a crash: mark it, then ask the model again. */
  | { readonly do: 'abort-turn' }
  | { readonly do: 'call-model' }
  | { readonly do: 'settle'; readonly calls: readonly CallState[] }
  | { readonly do: 'pause'; readonly reason: PauseReason; readonly pending: readonly PendingItem[] }
  | { readonly do: 'cancel' }
  | { readonly do: 'supersede' }
  | { readonly do: 'end' }
  | { readonly do: 'rest' }

export function next(state: AgentState): Step {
  switch (state.phase) {
    case 'idle':
      return whenIdle(state)
    case 'paused':
      return whenPaused(state)
    case 'running':
      return whenRunning(state)
  }
}

function whenIdle(state: AgentState): Step {
  const input = state.queue[0]
  return input ? { do: 'start', input } : { do: 'rest' }
}

function whenPaused(state: AgentState): Step {
  const open = state.calls.filter(c => !c.outcome)
  const resolved = open.filter(isAnswered).map(c => c.call_id)
  const remaining = open.filter(c => !isAnswered(c)).map(c => c.call_id)
  if (state.cancel) return { do: 'resume', resolved: [], remaining: open.map(c => c.call_id) }
  if (resolved.length > 0 || open.length === 0) return { do: 'resume', resolved, remaining }
  if (state.queue[0]?.event.if_paused === 'supersede') return { do: 'resume', resolved: [], remaining }
  return { do: 'rest' }
}

function whenRunning(state: AgentState): Step {
  if (state.cancel) return { do: 'cancel' }
  if (state.turn) return { do: 'abort-turn' }
  const open = state.calls.filter(c => !c.outcome)
  const ready = open.filter(c => !isWaiting(c) && !isHeld(state, c))
  if (ready.length > 0) return { do: 'settle', calls: ready }
  if (open.length > 0) {
    if (state.queue[0]?.event.if_paused === 'supersede') return { do: 'supersede' }
    return { do: 'pause', reason: pauseReason(open), pending: open.filter(isWaiting).map(toPending) }
  }
  if (state.calls.length > 0) return { do: 'call-model' }
  const finish = state.run?.last?.finish
  return finish === undefined || finish === 'pause' ? { do: 'call-model' } : { do: 'end' }
}

/** Waits for somebody outside: an approval without a decision, a client tool without an output. */
export function isWaiting(call: CallState): boolean {
  if (call.outcome || isAnswered(call)) return false
  if (call.approval && !call.approval.decision) return true
  return call.client !== undefined
}

/** Must come after a call that still waits, because both touch the same thing: the tool system noted it. */
function isHeld(state: AgentState, call: CallState): boolean {
  const after = state.notes?.[`held:${call.call_id}`]
  return Array.isArray(after) && state.calls.some(c => after.includes(c.call_id) && isWaiting(c))
}

function isAnswered(call: CallState): boolean {
  if (call.approval && !call.approval.decision) return call.approval.answer !== undefined
  return call.client?.answer !== undefined
}

function pauseReason(open: readonly CallState[]): PauseReason {
  if (open.some(c => c.client && !c.client.answer)) return 'client_tool_execution'
  if (open.some(c => c.approval?.kind === 'question')) return 'user_input_required'
  return 'tool_approval_required'
}

/** An open call as the outside sees it. */
export function toPending(call: CallState): PendingItem {
  const asking = call.approval && !call.approval.decision ? call.approval : undefined
  return {
    kind: asking ? (asking.kind === 'question' ? 'question' : 'approval') : 'client_tool',
    id: asking ? asking.approval_id : call.call_id,
    call_id: call.call_id,
    name: call.name,
    input_text: call.input_text,
    ...(asking?.message === undefined ? {} : { message: asking.message }),
  }
}
