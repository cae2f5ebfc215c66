/** One tool call from its first byte to its terminal event. The first terminal event wins. */

import type { EventOf } from '../event.ts'
import { approvalOf, DECISION, decide, REQUEST } from './approval.ts'
import {
  CONTENT,
  type EventReader,
  type EventReaders,
  TEXTS,
  TOOL_FAILURE,
  TOOL_VIEW,
} from './event-shapes.ts'
import { addTo, toMs } from './fields.ts'
import { appendAt, appendTail } from './live-text.ts'
import { parseJson } from './parse-json.ts'
import { NO_PEEK, peekArgs } from './peek-args.ts'
import { pendingOf } from './pending.ts'
import { FLAG, MAYBE_NUMBER, MAYBE_TEXT, maybe, NUMBER, type ShapeOf, TEXT } from './shape.ts'
import {
  type CallResult,
  type CallView,
  isFinal,
  NO_OUTPUT,
  type SessionView,
  type ToolState,
} from './view.ts'

type CallEventType =
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

/** A reader of events about one call. What has its terminal event does not change any more. */
const onCall = <E extends EventOf<CallEventType>>(
  reads: NoInfer<ShapeOf<E>>,
  step: (call: CallView, ev: E, ts: number) => CallView,
): EventReader<E> => [
  { ...reads, call_id: TEXT },
  (view, ev) => {
    const call = callOf(view, ev.call_id)
    return !call || isFinal(call.state) ? view : setCall(view, call, step(call, ev, Date.parse(ev.ts)))
  },
]

/** The latest call with this provider id. */
export const callOf = (view: SessionView, call_id: string): CallView | undefined => latest(view, call_id)[0]

/** The latest call with this provider id, and the id that the next one would have. */
function latest(view: SessionView, call_id: string): readonly [CallView | undefined, string] {
  let found: CallView | undefined
  let id = call_id
  for (let n = 2, call = view.calls.get(id); call; n++) {
    found = call
    id = `${call_id}#${n}`
    call = view.calls.get(id)
  }
  return [found, id]
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
      id: latest(view, tool.call_id)[1],
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
export const settleProviderCalls = (view: SessionView, ev: EventOf<'turn.completed'>): SessionView =>
  changeActive(view, call => {
    if (call.executor !== 'provider' || call.message !== ev.message_id) return call
    const result: CallResult = { output_text: '', content: [], is_error: false }
    return end(call, 'success', ev.ts, { result, duration_ms: undefined })
  })

/** A cancel was asked for: whatever is open is being stopped, or the one call that it names. */
export function cancelCalls(view: SessionView, ev: EventOf<'input.cancel'>): SessionView {
  const cancel = (call: CallView): CallView => enter(call, 'cancelling', Date.parse(ev.ts))
  if (ev.call_id !== undefined) {
    const call = callOf(view, ev.call_id)
    return call && !isFinal(call.state) ? setCall(view, call, cancel(call)) : view
  }
  if (view.phase === 'idle' && view.queue.length === 0 && view.active.length === 0) return view
  return changeActive({ ...view, cancelling: true }, cancel)
}

/** A run that is over leaves no call open but those of agents in the background; one without its own end was cut off, as in a forked session. */
export function closeCalls(view: SessionView, ts: string, state: 'cancelled' | 'lost'): SessionView {
  const at = Date.parse(ts)
  return changeActive(view, call =>
    view.agents.get(call.agent ?? '')?.background ? call : { ...call, state, since: at, ended_at: at },
  )
}

const changeActive = (view: SessionView, change: (call: CallView) => CallView): SessionView =>
  view.active.reduce((next, id) => {
    const call = next.calls.get(id)
    return call ? setCall(next, call, change(call)) : next
  }, view)

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
  // They are checked by the server; until then text that is no JSON leaves the old ones.
  const input = parseJson(edited) ?? call.input
  return enter({ ...call, approval, input_text: edited, input }, 'queued', ts)
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
  // An unanswered question of a running call does not end the call.
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
      // Kept for its colors: the recorded output has none.
      output: { ...rest.output, tail: rest.output.older ? '' : rest.output.tail, older: '' },
    },
    { duration_ms: outcome.duration_ms },
  )
}

export const CALL_READERS: EventReaders<CallEventType> = {
  'tool.ready': onCall({ input_text: TEXT, executor: TEXT, view: maybe(TOOL_VIEW) }, (call, ev, ts) => {
    const { peek: _, ...rest } = call
    const ready = { ...rest, input: ev.input, input_text: ev.input_text, executor: ev.executor }
    return enter(addTo<CallView>(ready, { view: ev.view }), 'queued', ts)
  }),
  'tool.approval_requested': onCall(REQUEST, (call, ev, ts) =>
    enter({ ...call, approval: approvalOf(ev) }, 'awaiting_approval', ts),
  ),
  'input.approval': onCall(DECISION, answered),
  'tool.approval_resolved': onCall(DECISION, resolved),
  'tool.client_requested': onCall({ input_text: TEXT, deadline: MAYBE_TEXT }, (call, ev, ts) => {
    const client = addTo<NonNullable<CallView['client']>>(
      { requested_at: ts, answered: false },
      { deadline: toMs(ev.deadline) },
    )
    return enter({ ...call, client, input_text: ev.input_text }, 'awaiting_client', ts)
  }),
  'input.tool_output': onCall({}, (call, _, ts) =>
    !call.client || call.client.answered
      ? call
      : enter({ ...call, client: { ...call.client, answered: true } }, 'executing', ts),
  ),
  'tool.queued': onCall({ after: TEXTS }, (call, { after }, ts) => enter({ ...call, after }, 'queued', ts)),
  'tool.started': onCall({ attempt: NUMBER }, (call, { attempt }, ts) =>
    enter({ ...call, attempt, started_at: ts, output: NO_OUTPUT }, 'executing', ts),
  ),
  'tool.progress': onCall(
    { message: MAYBE_TEXT, progress: MAYBE_NUMBER, total: MAYBE_NUMBER, output_delta: MAYBE_TEXT },
    progressed,
  ),
  'tool.completed': onCall(
    {
      content: CONTENT,
      output_text: TEXT,
      is_error: FLAG,
      error: maybe(TOOL_FAILURE),
      view: maybe(TOOL_VIEW),
      duration_ms: NUMBER,
    },
    completed,
  ),
  'tool.failed': onCall({ error: TOOL_FAILURE, output_text: TEXT, duration_ms: NUMBER }, failed),
}
