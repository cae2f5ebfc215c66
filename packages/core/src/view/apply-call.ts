/** One tool call from its first byte to its terminal event. The first terminal event wins. */
import type { EventOf } from '../event.ts'
import { approvalOf, decide } from './approval.ts'
import { addTo, toMs } from './fields.ts'
import { appendAt, appendTail } from './live-text.ts'
import { NO_PEEK, peekArgs } from './peek-args.ts'
import { pendingOf } from './pending.ts'
import {
  type CallResult,
  type CallView,
  isFinal,
  NO_OUTPUT,
  type SessionView,
  type ToolState,
} from './view.ts'

type CallEvent = EventOf<
  | 'tool.ready'
  | 'tool.approval_requested'
  | 'tool.approval_resolved'
  | 'tool.client_requested'
  | 'tool.queued'
  | 'tool.started'
  | 'tool.progress'
  | 'tool.completed'
  | 'tool.failed'
  | 'input.tool_output'
  | 'input.approval'
>

export function applyCall(view: SessionView, ev: CallEvent): SessionView {
  const call = callOf(view, ev.call_id)
  if (!call || isFinal(call.state)) return view
  return setCall(view, call, step(call, ev))
}

/** The latest call with this provider id. */
export function callOf(view: SessionView, call_id: string): CallView | undefined {
  let found = view.calls.get(call_id)
  for (let n = 2, later = found; later; n++) {
    found = later
    later = view.calls.get(`${call_id}#${n}`)
  }
  return found
}

/** A call begins with the block that makes it. */
export function openCall(
  view: SessionView,
  ev: EventOf<'block.started'>,
): { readonly view: SessionView; readonly call: string | undefined } {
  const { tool } = ev
  if (!tool) return { view, call: undefined }
  const ts = Date.parse(ev.ts)
  const call: CallView = addTo<CallView>(
    {
      id: freeId(view, tool.call_id),
      call_id: tool.call_id,
      name: tool.name,
      tool_type: tool.tool_type,
      executor: tool.executor,
      state: 'building',
      since: ts,
      message: ev.message_id,
      block: ev.block_id,
      input_text: '',
      peek: NO_PEEK,
      output: NO_OUTPUT,
      agents: [],
      created_at: ts,
    },
    { title: tool.title, server: tool.server, agent: ev.agent_run_id },
  )
  const next = { ...view, calls: view.calls.set(call.id, call), active: [...view.active, call.id] }
  return { view: next, call: call.id }
}

function freeId(view: SessionView, call_id: string): string {
  let id = call_id
  for (let n = 2; view.calls.get(id); n++) id = `${call_id}#${n}`
  return id
}

/** One more piece of the arguments. */
export function streamInput(view: SessionView, id: string, offset: number, piece: string): SessionView {
  const call = view.calls.get(id)
  if (call?.state !== 'building') return view
  const { text, added } = appendAt(call.input_text, offset, piece)
  if (added === '') return view
  const next = { ...call, input_text: text, peek: peekArgs(call.peek ?? NO_PEEK, added) }
  return { ...view, calls: view.calls.set(id, next) }
}

/** The arguments are all there; whether they are valid is not known yet. */
export function completeInput(view: SessionView, id: string, ev: EventOf<'block.completed'>): SessionView {
  const call = view.calls.get(id)
  if (!call || isFinal(call.state)) return view
  const input_text = ev.input_text ?? call.input_text
  const provider = call.executor === 'provider'
  const next: CallView = provider ? enter(call, 'executing', Date.parse(ev.ts)) : call
  // Deltas that were all seen have been looked into already.
  const seen = call.input_text.length === input_text.length
  return setCall(view, call, {
    ...next,
    input_text,
    peek: (seen && call.peek) || peekArgs(NO_PEEK, input_text),
  })
}

/** A provider runs its own tools inside the message: they end with it. */
export function settleProviderCalls(view: SessionView, ev: EventOf<'turn.completed'>): SessionView {
  return view.active.reduce((next, id) => {
    const call = next.calls.get(id)
    if (call?.executor !== 'provider' || call.message !== ev.message_id) return next
    const result: CallResult = { output_text: '', content: [], is_error: false }
    return setCall(next, call, end(call, 'success', ev.ts, { result, duration_ms: undefined }))
  }, view)
}

/** A cancel was asked for: whatever is open is being stopped, or the one call that it names. */
export function cancelCalls(view: SessionView, ev: EventOf<'input.cancel'>): SessionView {
  if (ev.call_id !== undefined) {
    const call = callOf(view, ev.call_id)
    return call && !isFinal(call.state)
      ? setCall(view, call, enter(call, 'cancelling', Date.parse(ev.ts)))
      : view
  }
  const cancelled: SessionView = { ...view, cancelling: true }
  return view.active.reduce((next, id) => {
    const call = next.calls.get(id)
    return call ? setCall(next, call, enter(call, 'cancelling', Date.parse(ev.ts))) : next
  }, cancelled)
}

/** A run that is over leaves no call open but those of agents in the background; one without its own end was cut off, as in a forked session. */
export function closeCalls(view: SessionView, ts: string, state: 'cancelled' | 'lost'): SessionView {
  const at = Date.parse(ts)
  return view.active.reduce((next, id) => {
    const call = next.calls.get(id)
    if (!call || next.agents.get(call.agent ?? '')?.background) return next
    return setCall(next, call, { ...call, state, since: at, ended_at: at })
  }, view)
}

/** Stores a changed call and what follows from its state: open calls and waiting items. */
function setCall(view: SessionView, before: CallView, call: CallView): SessionView {
  if (before === call) return view
  const next = { ...view, calls: view.calls.set(call.id, call) }
  if (before.state === call.state && before.approval === call.approval) return next
  const active = isFinal(call.state) ? view.active.filter(id => id !== call.id) : view.active
  const others = view.pending.filter(item => item.call !== call.id)
  const item = pendingOf(call)
  if (!item && others.length === view.pending.length) return { ...next, active }
  return { ...next, active, pending: item ? [...others, item] : others }
}

/** A call that is being stopped stays so until its terminal event. */
const enter = (call: CallView, state: ToolState, since: number): CallView =>
  call.state === state || call.state === 'cancelling' ? call : { ...call, state, since }

function step(call: CallView, ev: CallEvent): CallView {
  const ts = Date.parse(ev.ts)
  switch (ev.type) {
    case 'tool.ready': {
      const { peek: _, ...rest } = call
      const ready = { ...rest, input: ev.input, input_text: ev.input_text, executor: ev.executor }
      return enter(addTo<CallView>(ready, { view: ev.view }), 'queued', ts)
    }
    case 'tool.approval_requested':
      return enter({ ...call, approval: approvalOf(ev) }, 'awaiting_approval', ts)
    case 'input.approval':
      return answered(call, ev, ts)
    case 'tool.approval_resolved':
      return resolved(call, ev, ts)
    case 'tool.client_requested': {
      const client = addTo<NonNullable<CallView['client']>>(
        { requested_at: ts, answered: false },
        { deadline: toMs(ev.deadline) },
      )
      return enter({ ...call, client, input_text: ev.input_text }, 'awaiting_client', ts)
    }
    case 'input.tool_output':
      if (!call.client || call.client.answered) return call
      return enter({ ...call, client: { ...call.client, answered: true } }, 'executing', ts)
    case 'tool.queued':
      return enter({ ...call, after: ev.after }, 'queued', ts)
    case 'tool.started':
      return enter({ ...call, attempt: ev.attempt, started_at: ts, output: NO_OUTPUT }, 'executing', ts)
    case 'tool.progress':
      return progressed(call, ev)
    case 'tool.completed':
      return completed(call, ev)
    case 'tool.failed':
      return failed(call, ev)
  }
}

/** The first answer counts; what is settled does not change. */
function answered(call: CallView, ev: EventOf<'input.approval'>, ts: number): CallView {
  if (!call.approval || call.approval.decision) return call
  return enter({ ...call, approval: decide(call.approval, ev) }, 'queued', ts)
}

function resolved(call: CallView, ev: EventOf<'tool.approval_resolved'>, ts: number): CallView {
  if (!call.approval) return call
  const approval = decide(call.approval, ev)
  const edited = ev.edited_input_text
  if (edited === undefined) return enter({ ...call, approval }, 'queued', ts)
  return enter({ ...call, approval, input_text: edited, input: parse(edited, call.input) }, 'queued', ts)
}

/** Edited arguments are checked by the server; until then text that is no JSON leaves the old ones. */
function parse(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

function progressed(call: CallView, ev: EventOf<'tool.progress'>): CallView {
  const progress = addTo<NonNullable<CallView['progress']>>(call.progress ?? {}, {
    message: ev.message,
    progress: ev.progress,
    total: ev.total,
    data: ev.data,
  })
  return ev.output_delta
    ? { ...call, progress, output: appendTail(call.output, ev.output_delta) }
    : { ...call, progress }
}

function completed(call: CallView, ev: EventOf<'tool.completed'>): CallView {
  const result: CallResult = addTo<CallResult>(
    { output_text: ev.output_text, content: ev.content, is_error: ev.is_error },
    { structured: ev.structured, failure: ev.error, layer: ev.is_error ? 'execution' : undefined },
  )
  return end(addTo<CallView>(call, { view: ev.view }), ev.is_error ? 'failed' : 'success', ev.ts, {
    result,
    duration_ms: ev.duration_ms,
  })
}

function failed(call: CallView, ev: EventOf<'tool.failed'>): CallView {
  const { error, output_text, duration_ms } = ev
  const result: CallResult = { output_text, content: [], is_error: true, failure: error, layer: error.layer }
  return end(call, failedState(call, ev), ev.ts, { result, duration_ms })
}

function failedState(call: CallView, { error }: EventOf<'tool.failed'>): ToolState {
  if (error.code === 'unknown_outcome') return 'lost'
  // A question of the running call that nobody answered is not the call's own end.
  const asked = call.approval?.decision === 'expired' && error.layer === 'permission'
  if (error.code === 'expired' || asked) return 'expired'
  if (error.layer === 'aborted') return 'cancelled'
  return error.layer === 'permission' ? 'denied' : 'failed'
}

function end(
  call: CallView,
  state: ToolState,
  ts: string,
  outcome: { readonly result: CallResult; readonly duration_ms: number | undefined },
): CallView {
  const { peek: _, ...rest } = call
  const at = Date.parse(ts)
  return addTo<CallView>(
    {
      ...rest,
      state,
      since: at,
      ended_at: at,
      result: outcome.result,
      output: { ...rest.output, tail: '', older: '' },
    },
    { duration_ms: outcome.duration_ms },
  )
}
