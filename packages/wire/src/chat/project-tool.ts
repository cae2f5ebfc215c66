/** Tool calls: ready, asked about, handed to the client, running, ended. The first end of a call is the only one shown. */

import type { EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import { parseInput } from '../shared/parse-input.ts'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { tailFor, toFrame } from './chat-frame.ts'
import type { ChatCall, ChatState } from './chat-state.ts'

type ChatStep = readonly [ChatState, readonly Frame[]]
type ChatToolEvent = EventOf<
  | 'tool.ready'
  | 'tool.approval_requested'
  | 'tool.approval_resolved'
  | 'tool.client_requested'
  | 'tool.progress'
  | 'tool.completed'
  | 'tool.failed'
>

/** Events of calls that were never announced, or have ended, show nothing. */
export function projectTool(state: ChatState, ev: ChatToolEvent): ChatStep {
  const tail = tailFor(state, ev.agent_run_id)
  const key = callKey(ev.agent_run_id, ev.call_id)
  const call = state.calls.get(key)
  if (tail === undefined || !call) return [state, NO_FRAMES]
  switch (ev.type) {
    case 'tool.ready': {
      const ready: ChatCall = {
        ...call,
        name: ev.name,
        input_text: ev.input_text,
        input: ev.input,
        ready: true,
      }
      return [{ ...state, calls: withEntry(state.calls, key, ready) }, [toolUse(ev.call_id, ready, tail)]]
    }
    case 'tool.approval_requested':
      return [state, [approvalRequest(ev, call, tail)]]
    case 'tool.approval_resolved':
      return [state, [approval(ev, tail)]]
    case 'tool.client_requested':
      return [state, [execute(ev, call, tail)]]
    case 'tool.progress':
      return [state, [progress(ev, tail)]]
    case 'tool.completed':
    case 'tool.failed':
      return [{ ...state, calls: withoutEntry(state.calls, key) }, ended(ev, call, tail)]
  }
}

const toolUse = (callId: string, call: ChatCall, tail: string): Frame =>
  toFrame({ type: 'tool_use', tool: { id: callId, name: call.name, input: call.input } }, tail)

function approvalRequest(ev: EventOf<'tool.approval_requested'>, call: ChatCall, tail: string): Frame {
  const body = {
    type: 'tool_approval_request',
    approval_id: ev.approval_id,
    tool: { id: ev.call_id, name: ev.name, input: inputOf(call) },
    kind: ev.kind ?? 'approval',
    message: ev.message,
    allow_edit: ev.allow_edit,
    options: ev.options,
    schema: ev.schema,
    url: ev.url,
    expires_at: ev.expires_at,
    automatic: ev.automatic,
    details: ev.details,
  }
  return toFrame(body, tail)
}

function approval(ev: EventOf<'tool.approval_resolved'>, tail: string): Frame {
  const body = {
    type: 'tool_approval',
    approval_id: ev.approval_id,
    tool_use_id: ev.call_id,
    approved: ev.decision === 'approved',
    decision: ev.decision,
    reason: ev.reason,
    by: ev.by,
    automatic: ev.automatic,
    edited_input: ev.edited_input_text === undefined ? undefined : parseInput(ev.edited_input_text),
    answer: ev.answer_text,
  }
  return toFrame(body, tail)
}

function execute(ev: EventOf<'tool.client_requested'>, call: ChatCall, tail: string): Frame {
  const body = {
    type: 'tool_execute',
    tool: { id: ev.call_id, name: ev.name, input: inputOf(call) ?? parseInput(ev.input_text) },
    deadline: ev.deadline,
  }
  return toFrame(body, tail)
}

function progress(ev: EventOf<'tool.progress'>, tail: string): Frame {
  const body = {
    type: 'tool_progress',
    tool_use_id: ev.call_id,
    message: ev.message,
    progress: ev.progress,
    total: ev.total,
    output_delta: ev.output_delta,
    data: ev.data,
  }
  return toFrame(body, tail)
}

/** A call that failed before its arguments were accepted is still announced when they can be read. */
function ended(
  ev: EventOf<'tool.completed' | 'tool.failed'>,
  call: ChatCall,
  tail: string,
): readonly Frame[] {
  const failure = ev.type === 'tool.failed' ? ev.error : undefined
  const blocks = ev.type === 'tool.completed' && ev.content.length > 0 ? ev.content : undefined
  const body = {
    type: 'tool_result',
    tool_use_id: ev.call_id,
    content: ev.output_text,
    is_error: ev.type === 'tool.failed' || ev.is_error,
    content_blocks: blocks,
    error_code: failure?.code,
    retryable: failure?.retryable,
  }
  const result = toFrame(body, tail)
  if (call.ready) return [result]
  const input = parseInput(call.input_text)
  return input === undefined ? [result] : [toolUse(ev.call_id, { ...call, input }, tail), result]
}

/** The arguments of a call as JSON, also before they were checked. */
const inputOf = (call: ChatCall): unknown => (call.ready ? call.input : parseInput(call.input_text))
