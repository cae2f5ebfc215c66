/** Calls: arguments, approvals, progress and ends. The first end of a call is the only one sent. */

import type { EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import { parseInput } from '../shared/parse-input.ts'
import type { AiSdkState, AiSdkStep, Exchange, UiCall } from './ai-sdk-state.ts'
import { failedInput, fieldsOf } from './close-open.ts'
import { titleOf } from './project-block.ts'
import type { UiChunk } from './ui-chunk.ts'

type UiToolEvent = EventOf<
  | 'tool.ready'
  | 'tool.approval_requested'
  | 'tool.approval_resolved'
  | 'tool.client_requested'
  | 'tool.progress'
  | 'tool.completed'
  | 'tool.failed'
>

/** Pages may draw four per second; a faster tool shows its newest state. */
const PROGRESS_MS = 250
const MAX_LIVE_OUTPUT = 2048

export function projectTool(state: AiSdkState, exchange: Exchange, ev: UiToolEvent): AiSdkStep {
  const key = callKey(ev.agent_run_id, ev.call_id)
  const call = exchange.calls.get(key) ?? hiddenCall(ev)
  if (!call) return [state, []]
  const put = (next: UiCall, chunks: readonly UiChunk[]): AiSdkStep => [
    { ...state, exchange: { ...exchange, calls: withEntry(exchange.calls, key, next) } },
    chunks,
  ]
  switch (ev.type) {
    case 'tool.ready': {
      const { name, input, input_text } = ev
      const next = { ...call, name, input, input_text, isReady: true, isClient: ev.executor === 'client' }
      return put(next, call.isShown ? inputChunks(state, next) : [])
    }
    case 'tool.client_requested': {
      const input = call.input ?? parseInput(ev.input_text) ?? ev.input_text
      const next = { ...call, name: ev.name, input, isReady: true, isShown: true, isClient: true }
      const isKnown = call.isShown && call.isReady && call.isClient
      return put(next, isKnown ? [] : inputChunks(state, next, call.isShown))
    }
    case 'tool.approval_requested':
      return put(...approvalRequested(state, exchange, ev, call))
    case 'tool.approval_resolved':
      return put(...approvalResolved(state, exchange, ev, call))
    case 'tool.progress':
      return put(...progress(ev, call))
    case 'tool.completed':
    case 'tool.failed': {
      const next = { ...exchange, calls: withoutEntry(exchange.calls, key) }
      return [{ ...state, exchange: next }, call.isShown ? ended(state, exchange, ev, call) : []]
    }
  }
}

/** A call of a nested agent has no part until it waits for an answer from the page. */
function hiddenCall(ev: UiToolEvent): UiCall | undefined {
  if (ev.type !== 'tool.ready' || ev.agent_run_id === undefined) return undefined
  const { call_id, name, input_text, input } = ev
  const isClient = ev.executor === 'client'
  return {
    call_id,
    name,
    isClient,
    isShown: false,
    isReady: true,
    input_text,
    input,
    isHeld: false,
    isRefused: false,
  }
}

/** `wasServer`: the page was informed before that the server runs it. */
function inputChunks(state: AiSdkState, call: UiCall, wasServer = false): readonly UiChunk[] {
  if (call.isHeld) return []
  const chunk: UiChunk = {
    type: 'tool-input-available',
    toolName: call.name,
    input: call.input,
    ...titleOf(state, call),
    ...fieldsOf(call),
    ...(wasServer && call.isClient ? { providerExecuted: false } : {}),
  }
  return [chunk]
}

type CallStep = readonly [UiCall, readonly UiChunk[]]

/** Questions want words, and version 5 has no approvals: both are data parts, answered at the approvals route. */
function approvalRequested(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'tool.approval_requested'>,
  call: UiCall,
): CallStep {
  if (ev.automatic) return [call, []]
  const shown = { ...call, isShown: true, isReady: true, input: inputOf(call) }
  const input = call.isShown && call.isReady ? [] : inputChunks(state, shown)
  if (ev.kind === 'question' || state.dialect === 5) {
    const { message, schema, url, options, expires_at } = ev
    const data = {
      callId: ev.call_id,
      name: ev.name,
      input: shown.input,
      message,
      schema,
      url,
      options,
      expires_at,
    }
    const type = ev.kind === 'question' ? 'data-question' : 'data-approval'
    return [shown, [...input, { type, id: ev.approval_id, data }]]
  }
  if (exchange.held?.calls.get(ev.call_id)?.approval_id === ev.approval_id) return [shown, input]
  const reason = state.dialect === 7 && ev.message !== undefined ? { reason: ev.message } : {}
  return [
    shown,
    [
      ...input,
      { type: 'tool-approval-request', approvalId: ev.approval_id, toolCallId: ev.call_id, ...reason },
    ],
  ]
}

function approvalResolved(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'tool.approval_resolved'>,
  call: UiCall,
): CallStep {
  if (ev.automatic || !call.isShown) return [call, []]
  const approved = ev.decision === 'approved'
  const next = { ...call, isRefused: !approved }
  const { approval_id: id, reason, answer_text: answer } = ev
  if (state.dialect === 5 || answer !== undefined) {
    const type = answer === undefined ? 'data-approval' : 'data-question'
    const data = {
      callId: ev.call_id,
      name: call.name,
      input: call.input,
      decision: ev.decision,
      reason,
      answer,
    }
    return [next, [{ type, id, data }]]
  }
  if (state.dialect === 6 || exchange.held?.calls.get(ev.call_id)?.isEnded) return [next, []]
  const why = reason === undefined ? {} : { reason }
  return [next, [{ type: 'tool-approval-response', approvalId: id, approved, ...why }]]
}

/** Transient: the page may draw it, and does not keep it. */
function progress(ev: EventOf<'tool.progress'>, call: UiCall): CallStep {
  const at = Date.parse(ev.ts)
  const output = ((call.progress?.output ?? '') + (ev.output_delta ?? '')).slice(-MAX_LIVE_OUTPUT)
  const isDue = !(at - (call.progress?.at ?? Number.NEGATIVE_INFINITY) < PROGRESS_MS)
  const next = { ...call, progress: { at: isDue ? at : (call.progress?.at ?? at), output } }
  if (!isDue || !call.isShown) return [next, []]
  const { message, progress: done, total, data } = ev
  const body = { message, progress: done, total, ...(output === '' ? {} : { output }), data }
  return [next, [{ type: 'data-tool-progress', id: ev.call_id, data: body, transient: true }]]
}

function ended(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'tool.completed' | 'tool.failed'>,
  call: UiCall,
): readonly UiChunk[] {
  if (exchange.held?.calls.get(ev.call_id)?.isEnded) return []
  if (ev.type === 'tool.completed') {
    const input = call.isReady ? [] : inputChunks(state, { ...call, input: inputOf(call) })
    const outcome: UiChunk = ev.is_error
      ? { type: 'tool-output-error', errorText: ev.output_text, ...fieldsOf(call) }
      : { type: 'tool-output-available', output: ev.structured ?? ev.output_text, ...fieldsOf(call) }
    return [...input, outcome]
  }
  if (!call.isReady) return failedInput(call, ev.error.message)
  if (call.isRefused && state.dialect !== 5) return [{ type: 'tool-output-denied', toolCallId: ev.call_id }]
  return [{ type: 'tool-output-error', errorText: ev.error.message, ...fieldsOf(call) }]
}

/** The arguments, also before they were checked; the text itself when it is not JSON. */
const inputOf = (call: UiCall): unknown =>
  call.isReady ? call.input : (parseInput(call.input_text) ?? call.input_text)
