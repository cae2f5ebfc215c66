/** One tool call: ready, asked about, answered, started, ended. The first terminal event wins. */
import type { EventOf } from '../event.ts'
import type { AgentState, CallState } from './state.ts'

type CallEvent = EventOf<
  | 'tool.ready'
  | 'tool.approval_requested'
  | 'tool.approval_resolved'
  | 'tool.client_requested'
  | 'tool.started'
  | 'tool.completed'
  | 'tool.failed'
  | 'input.tool_output'
  | 'input.approval'
>

export function evolveCall(state: AgentState, ev: CallEvent, epoch: number): Partial<AgentState> {
  const call = state.calls.find(c => c.call_id === ev.call_id)
  if (!call || call.outcome) return {}
  const next = step(call, ev, epoch)
  if (next === call) return {}
  const failed = next.outcome?.is_error === true
  return {
    calls: state.calls.map(c => (c === call ? next : c)),
    ...(failed && state.run ? { run: { ...state.run, failures: state.run.failures + 1 } } : {}),
  }
}

function step(call: CallState, ev: CallEvent, epoch: number): CallState {
  switch (ev.type) {
    case 'tool.ready':
      return {
        ...call,
        ready: true,
        input_text: ev.input_text,
        input: ev.input,
        executor: ev.executor,
        tool_type: ev.tool_type,
      }
    case 'tool.approval_requested':
      return { ...call, approval: requested(ev) }
    case 'tool.approval_resolved':
      return resolved(call, ev)
    case 'input.approval':
      // First answer wins; the log keeps later ones, the call does not change.
      if (!call.approval || call.approval.answer || call.approval.decision) return call
      return { ...call, approval: { ...call.approval, answer: ev } }
    case 'tool.client_requested':
      return { ...call, client: ev.deadline === undefined ? {} : { deadline: ev.deadline } }
    case 'input.tool_output':
      if (call.client?.answer) return call
      return { ...call, client: { ...call.client, answer: ev } }
    case 'tool.started':
      return { ...call, started: { attempt: ev.attempt, ts: ev.ts, epoch } }
    case 'tool.completed':
      return { ...call, outcome: { output_text: ev.output_text, content: ev.content, is_error: ev.is_error } }
    case 'tool.failed':
      return {
        ...call,
        outcome: { output_text: ev.output_text, content: [], is_error: true, failure: ev.error },
      }
  }
}

function requested(ev: EventOf<'tool.approval_requested'>): NonNullable<CallState['approval']> {
  return {
    approval_id: ev.approval_id,
    kind: ev.kind ?? 'approval',
    ...(ev.message === undefined ? {} : { message: ev.message }),
    ...(ev.expires_at === undefined ? {} : { expires_at: ev.expires_at }),
    ...(ev.details === undefined ? {} : { details: ev.details }),
  }
}

function resolved(call: CallState, ev: EventOf<'tool.approval_resolved'>): CallState {
  if (!call.approval) return call
  return {
    ...call,
    approval: {
      ...call.approval,
      decision: ev.decision,
      ...(ev.reason === undefined ? {} : { reason: ev.reason }),
      ...(ev.edited_input_text === undefined ? {} : { edited_input_text: ev.edited_input_text }),
      ...(ev.answer_text === undefined ? {} : { answer_text: ev.answer_text }),
    },
  }
}
