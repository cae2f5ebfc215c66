/** One tool call: ready, asked about, answered, started, ended. The first terminal event wins. */
import type { EventOf } from '../event.ts'
import type { AgentState, CallOutcome, CallState } from './state.ts'

type CallCancel = EventOf<'input.cancel'> & { readonly call_id: string }
type CallEvent =
  | CallCancel
  | EventOf<
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
  const at = state.calls.findIndex(one => one.call_id === ev.call_id)
  const call = state.calls[at]
  if (!call || call.outcome) return {}
  const next = step(call, ev, epoch)
  if (next === call) return {}
  const failed = next.outcome?.is_error === true
  return {
    // Not `map`: a message may have thousands of calls, with several events each.
    calls: state.calls.with(at, next),
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
        ...(ev.definition === undefined ? {} : { definition: ev.definition }),
      }
    case 'tool.approval_requested':
      return { ...call, approval: requested(call, ev) }
    case 'tool.approval_resolved':
      return resolved(call, ev)
    case 'input.approval':
      // First answer wins; the log keeps later ones, and those to an earlier question, and the call does not change.
      if (call.approval?.approval_id !== ev.approval_id || call.approval.answer || call.approval.decision)
        return call
      return { ...call, approval: { ...call.approval, answer: ev } }
    case 'tool.client_requested':
      return { ...call, client: ev.deadline === undefined ? {} : { deadline: ev.deadline } }
    case 'input.tool_output':
      if (call.client?.answer) return call
      return { ...call, client: { ...call.client, answer: ev } }
    case 'input.cancel':
      return call.cancel ? call : { ...call, cancel: ev }
    case 'tool.started':
      return { ...call, started: { attempt: ev.attempt, ts: ev.ts, epoch } }
    case 'tool.completed':
      return { ...call, outcome: outcome(ev, ev.content, ev.is_error) }
    case 'tool.failed':
      return { ...call, outcome: outcome(ev, [], true) }
  }
}

const outcome = (
  { output_text, error, outside }: EventOf<'tool.completed' | 'tool.failed'>,
  content: CallOutcome['content'],
  is_error: boolean,
): CallOutcome => ({
  output_text,
  content,
  is_error,
  ...(error === undefined ? {} : { failure: error }),
  ...(outside === undefined ? {} : { outside }),
})

function requested(
  call: CallState,
  ev: EventOf<'tool.approval_requested'>,
): NonNullable<CallState['approval']> {
  // A question of a call that runs comes after its approval, whose edited arguments still hold.
  const edited = ev.resumes ? call.approval?.edited_input_text : undefined
  return {
    approval_id: ev.approval_id,
    kind: ev.kind ?? 'approval',
    ...(ev.message === undefined ? {} : { message: ev.message }),
    ...(ev.expires_at === undefined ? {} : { expires_at: ev.expires_at }),
    ...(ev.details === undefined ? {} : { details: ev.details }),
    ...(ev.schema === undefined ? {} : { schema: ev.schema }),
    ...(ev.url === undefined ? {} : { url: ev.url }),
    ...(ev.resumes ? { resumes: true } : {}),
    ...(edited === undefined ? {} : { edited_input_text: edited }),
  }
}

function resolved(call: CallState, ev: EventOf<'tool.approval_resolved'>): CallState {
  if (call.approval?.approval_id !== ev.approval_id) return call
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
