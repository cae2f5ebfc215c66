/** Ends and resumes runs: pure builders of the events, each batch appended as one. */
import {
  type AgentState,
  type CallState,
  type EventOf,
  type Failure,
  isWaitingMessage,
  type SessionEvent,
  type SessionState,
  type SubagentState,
} from '@toolwire/core'
import { runTotals, type Stamp } from './agent-port.ts'

const INTERRUPTED = 'The call was interrupted before it gave a result; side effects may have happened.'

/** Ends a run that has said all it will say. */
export function completeRun(state: AgentState, stamp: Stamp, now: Date): readonly SessionEvent[] {
  const finish = state.run?.last?.finish ?? 'stop'
  const clean = finish === 'stop' || finish === 'tool_calls' || finish === 'pause'
  const status = clean && state.run?.failures === 0 ? 'success' : 'partial_success'
  return [
    {
      type: 'run.completed',
      ...stamp,
      status,
      finish,
      result_text: lastText(state),
      ...runTotals(state, now),
    },
  ]
}

/** Ends a run that cannot continue. An open message must have been closed with its usage, or used nothing. */
export function failRun(state: AgentState, stamp: Stamp, now: Date, error: Failure): readonly SessionEvent[] {
  return [
    ...(state.turn
      ? closeTurn(state, stamp, { reason: 'failed', error })
      : closeCalls(state, stamp, error.message)),
    { type: 'run.failed', ...stamp, error, ...heldBy(state), ...runTotals(state, now) },
  ]
}

/** Closes everything open, then the run: no call and no message is left hanging. */
export function cancelRun(
  state: AgentState,
  stamp: Stamp,
  now: Date,
  reason: string,
): readonly SessionEvent[] {
  return [
    ...(state.turn
      ? closeTurn(state, stamp, { reason: abortReason(state) })
      : closeCalls(state, stamp, `${INTERRUPTED} Reason: ${reason}`)),
    { type: 'run.cancelled', ...stamp, reason, ...afterCancel(state), ...runTotals(state, now) },
  ]
}

/** The reason of a message that a cancel cuts. */
export const abortReason = ({ cancel }: AgentState): 'cancelled' | 'interrupted' =>
  cancel?.by_message === undefined ? 'cancelled' : 'interrupted'

/** A message that interrupts a run, or replaces its pause, is the next one: then nothing is held. */
function afterCancel(state: AgentState): Pick<EventOf<'run.cancelled'>, 'by_message' | 'queue_held'> {
  if (!state.cancel || state.cancel.by === 'system') return {}
  const { by_message } = state.cancel
  return by_message === undefined ? heldBy(state) : { by_message }
}

/** Messages that wait are kept, but start no run by themselves: their sender did not know this end. */
function heldBy({ queue }: AgentState): Pick<EventOf<'run.failed'>, 'queue_held'> {
  const ids = queue.filter(isWaitingMessage).map(({ event }) => event.message_id)
  return ids.length === 0 ? {} : { queue_held: ids }
}

/** Time and reason of a closing. */
export interface CloseContext {
  readonly stamp: Stamp
  readonly now: Date
  readonly reason: string
}

/**
 * Ends every unfinished subagent that `owner` has started (the root agent if undefined), innermost first.
 * Background agents end by themselves: they have a separate runner.
 */
export function closeAgents(
  session: SessionState,
  owner: string | undefined,
  closing: CloseContext,
): readonly SessionEvent[] {
  return Object.values(session.agents)
    .filter(agent => agent.parent_agent_run_id === owner && !agent.finished && !agent.spec.background)
    .flatMap(agent => closeAgent(session, agent, closing))
}

/** Ends the subagent of a call; nothing without one. */
export function closeAgentOf(
  session: SessionState,
  { call_id, owner }: { readonly call_id: string; readonly owner: string | undefined },
  closing: CloseContext,
): readonly SessionEvent[] {
  return Object.values(session.agents)
    .filter(agent => agent.parent_call_id === call_id && agent.parent_agent_run_id === owner)
    .filter(agent => !agent.finished && !agent.spec.background)
    .flatMap(agent => closeAgent(session, agent, closing))
}

/** Ends one subagent and those below it. */
export function closeAgent(
  session: SessionState,
  agent: SubagentState,
  closing: CloseContext,
): readonly SessionEvent[] {
  const { agent_run_id } = agent
  const stamp = { ...closing.stamp, agent_run_id }
  const error: Failure = { code: 'interrupted', message: closing.reason, retryable: true }
  return [
    ...closeAgents(session, agent_run_id, closing),
    ...(agent.run ? cancelRun(agent, stamp, closing.now, closing.reason) : []),
    { type: 'agent.finished', ...stamp, outcome: 'error', error },
  ]
}

/** The reason of an aborted message, and its reported usage. */
export type AbortDetails = Pick<
  EventOf<'message.aborted'>,
  'reason' | 'error' | 'usage' | 'cost_usd' | 'request_id'
>

/** Marks a half message. Its calls, even complete ones, were never executed and never will be. */
export function closeTurn(state: AgentState, stamp: Stamp, broken: AbortDetails): readonly SessionEvent[] {
  if (!state.turn) return []
  const message_id = state.turn.message_id ?? ''
  return [
    ...closeCalls(state, stamp, 'The message that made this call was interrupted; nothing was executed.'),
    { type: 'message.aborted', ...stamp, turn: state.turn.turn, message_id, ...broken },
  ]
}

function closeCalls(state: AgentState, stamp: Stamp, text: string): readonly SessionEvent[] {
  return state.calls.filter(call => !call.outcome).flatMap(call => closeCall(call, stamp, text))
}

function closeCall(call: CallState, stamp: Stamp, text: string): readonly SessionEvent[] {
  const answer = call.client?.answer
  // An answer arrived before the end: it is the result.
  if (answer && !answer.expired)
    return [
      {
        type: 'tool.completed',
        ...stamp,
        call_id: call.call_id,
        content: answer.content ?? [],
        output_text: answer.output_text || '(no output)',
        is_error: answer.is_error,
        duration_ms: 0,
      },
    ]
  const failed: EventOf<'tool.failed'> = {
    type: 'tool.failed',
    ...stamp,
    call_id: call.call_id,
    error: { code: 'interrupted', layer: 'aborted', message: text, retryable: true },
    output_text: text,
    duration_ms: call.started ? Math.max(0, Date.parse(stamp.ts) - Date.parse(call.started.ts)) : 0,
  }
  const { approval } = call
  if (!approval || approval.decision) return [failed]
  return [
    {
      type: 'tool.approval_resolved',
      ...stamp,
      approval_id: approval.approval_id,
      call_id: call.call_id,
      decision: 'cancelled',
      by: 'system',
    },
    failed,
  ]
}

/** The text of the latest message; empty when it only called tools. */
export function lastText(state: AgentState): string {
  const last = state.messages.findLast(message => message.role === 'assistant')
  if (last?.role !== 'assistant') return ''
  return last.content.map(part => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
}
