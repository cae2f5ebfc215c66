/**
 * Tool calls. The server's own: preparing, call, progress, result. The client's: preparing,
 * execute, and the result once it is recorded. The first end of a call is the only one shown.
 */

import type { EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { toToolErrorCode } from './error-codes.ts'
import { toArguments, toDetails, toOutput } from './json-text.ts'
import { toFrame } from './thread-frame.ts'
import type { ThreadCall, ThreadState } from './thread-state.ts'

type ThreadStep = readonly [ThreadState, readonly Frame[]]
type ToolEvent = EventOf<
  | 'tool.ready'
  | 'tool.approval_requested'
  | 'tool.approval_resolved'
  | 'tool.client_requested'
  | 'tool.progress'
  | 'tool.completed'
  | 'tool.failed'
>

/** Events of calls that were never announced, or have ended, show nothing. */
export function projectTool(state: ThreadState, ev: ToolEvent): ThreadStep {
  const key = callKey(ev.agent_run_id, ev.call_id)
  const call = state.calls.get(key)
  if (!call || state.conversation?.ended !== false) return [state, NO_FRAMES]
  switch (ev.type) {
    case 'tool.ready':
      return ready(state, key, call, ev)
    case 'tool.approval_requested': {
      const { allow_edit, options, details } = ev
      const asked: ThreadCall = { ...call, approval: { allow_edit, options, details } }
      return [{ ...state, calls: withEntry(state.calls, key, asked) }, NO_FRAMES]
    }
    case 'tool.approval_resolved':
      return [state, approval(call, ev)]
    case 'tool.client_requested':
      return [state, [execute(call, ev)]]
    case 'tool.progress':
      return [state, [progress(call, ev)]]
    case 'tool.completed':
    case 'tool.failed':
      return [{ ...state, calls: withoutEntry(state.calls, key) }, ended(call, ev)]
  }
}

/** The model has begun to write a call. */
export function prepareCall(state: ThreadState, ev: EventOf<'block.started'>): ThreadStep {
  const { tool } = ev
  if (!tool) return [state, NO_FRAMES]
  const call: ThreadCall = {
    name: tool.name,
    tool_type: toToolType(tool.tool_type),
    executor: tool.executor,
    announced: false,
    ...(ev.agent_run_id === undefined ? {} : { agent_id: ev.agent_run_id }),
  }
  const body = { call_id: tool.call_id, name: tool.name, agent_id: call.agent_id }
  const calls = withEntry(state.calls, callKey(ev.agent_run_id, tool.call_id), call)
  return [{ ...state, calls }, [toFrame('tool.preparing', body, ev.ts)]]
}

/** A client's call is requested by `tool.execute`, never sent as `tool.call`. */
function ready(state: ThreadState, key: string, call: ThreadCall, ev: EventOf<'tool.ready'>): ThreadStep {
  const known: ThreadCall = {
    ...call,
    name: ev.name,
    tool_type: toToolType(ev.tool_type),
    executor: ev.executor,
    announced: true,
  }
  const next = { ...state, calls: withEntry(state.calls, key, known) }
  if (ev.executor === 'client' || call.announced) return [next, NO_FRAMES]
  const body = { ...nameOf(ev, known), arguments: toArguments(ev.input_text), agent_id: known.agent_id }
  return [next, [toFrame('tool.call', body, ev.ts)]]
}

function execute(call: ThreadCall, ev: EventOf<'tool.client_requested'>): Frame {
  const body = {
    call_id: ev.call_id,
    name: ev.name,
    arguments: toArguments(ev.input_text),
    deadline: ev.deadline,
    agent_id: call.agent_id,
  }
  return toFrame('tool.execute', body, ev.ts)
}

/** A cancelled run has no decision: the call's own end gives the outcome. */
function approval(call: ThreadCall, ev: EventOf<'tool.approval_resolved'>): readonly Frame[] {
  const marks = { by: ev.by, automatic: ev.automatic, agent_id: call.agent_id }
  switch (ev.decision) {
    case 'approved': {
      const edited = ev.edited_input_text === undefined ? undefined : toArguments(ev.edited_input_text)
      const said = { reason: ev.reason, arguments: edited, answer: ev.answer_text }
      return [toFrame('tool.approved', { ...nameOf(ev, call), ...said, ...marks }, ev.ts)]
    }
    case 'denied':
    case 'expired': {
      const reason = ev.reason ?? (ev.decision === 'expired' ? 'expired' : undefined)
      const said = { reason, denied_reason: reason }
      return [toFrame('tool.denied', { ...nameOf(ev, call), ...said, ...marks }, ev.ts)]
    }
    case 'cancelled':
      return NO_FRAMES
  }
}

function progress(call: ThreadCall, ev: EventOf<'tool.progress'>): Frame {
  const body = {
    call_id: ev.call_id,
    message: ev.message ?? ev.output_delta ?? '',
    progress: ev.progress,
    total: ev.total,
    output_delta: ev.output_delta,
    data: ev.data,
    agent_id: call.agent_id,
  }
  return toFrame('tool.progress', body, ev.ts)
}

/** A failure is sent twice: as `tool.error`, and as the `tool.result` that simple clients wait for. */
function ended(call: ThreadCall, ev: EventOf<'tool.completed' | 'tool.failed'>): readonly Frame[] {
  const { agent_id } = call
  const about = nameOf(ev, call)
  if (ev.type === 'tool.completed') {
    const body = { ...about, success: !ev.is_error, output: toOutput(ev.output_text), agent_id }
    return [toFrame('tool.result', body, ev.ts)]
  }
  const { message, retryable } = ev.error
  const error_code = toToolErrorCode(ev.error)
  const details = toDetails(ev.error.details)
  const error = { code: error_code, message, details, retryable }
  const failed = { ...about, error_code, message, retryable, details, error, agent_id }
  const result = { ...about, success: false, output: JSON.stringify({ error: message }), agent_id }
  return [toFrame('tool.error', failed, ev.ts), toFrame('tool.result', result, ev.ts)]
}

const nameOf = (ev: { readonly call_id: string }, call: ThreadCall) => ({
  call_id: ev.call_id,
  tool_type: call.tool_type,
  name: call.name,
})

/** The wire knows two kinds: what comes from an MCP server, and everything else. */
const toToolType = (type: 'function' | 'mcp' | 'builtin'): 'function' | 'mcp' =>
  type === 'mcp' ? 'mcp' : 'function'
