/** Calls after their arguments: progress, requests to the page, results. The first end of a call is the only one sent. */
import type { EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import type { AgUiCall, AgUiEvent, AgUiState, AgUiStep } from './ag-ui-state.ts'

type CallEvent = EventOf<
  'tool.ready' | 'tool.client_requested' | 'tool.progress' | 'tool.completed' | 'tool.failed'
>

const PROGRESS_MS = 250
const MAX_TEXT = 2048

export function projectCall(state: AgUiState, ev: CallEvent): AgUiStep {
  const key = callKey(ev.agent_run_id, ev.call_id)
  const call = state.calls.get(key)
  const put = (next: AgUiCall): AgUiState => ({ ...state, calls: withEntry(state.calls, key, next) })
  switch (ev.type) {
    case 'tool.ready': {
      const { name, input_text } = ev
      const isClient = ev.executor === 'client'
      // A call of a nested agent is hidden until the page is asked to run it.
      return [put({ message_id: '', isShown: false, ...call, name, input_text, isClient }), []]
    }
    case 'tool.client_requested':
      if (!call) return [state, []]
      return [put({ ...call, isClient: true, isShown: true }), call.isShown ? [] : wholeCall(ev)]
    case 'tool.progress':
      return call?.isShown ? progress(ev, call, put) : [state, []]
    case 'tool.completed':
    case 'tool.failed': {
      if (!call) return [state, []]
      const next = { ...state, calls: withoutEntry(state.calls, key) }
      const isSent = call.isShown && (!call.isClient || state.options.client_results === true)
      return [next, isSent ? [resultOf(ev, call)] : []]
    }
  }
}

const wholeCall = ({ call_id, name, input_text }: EventOf<'tool.client_requested'>): readonly AgUiEvent[] => [
  { type: 'TOOL_CALL_START', toolCallId: call_id, toolCallName: name },
  ...(input_text === '' ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId: call_id, delta: input_text }]),
  { type: 'TOOL_CALL_END', toolCallId: call_id },
]

/** The content itself reports a failure: readers have no flag for it. */
function resultOf(ev: EventOf<'tool.completed' | 'tool.failed'>, { message_id }: AgUiCall): AgUiEvent {
  const isFailure = ev.type === 'tool.failed' || ev.is_error
  const error =
    ev.type === 'tool.failed'
      ? { code: ev.error.code, message: ev.error.message }
      : { code: ev.error?.code ?? 'tool_error', message: ev.output_text }
  return {
    type: 'TOOL_CALL_RESULT',
    messageId: `result_${message_id}_${ev.call_id}`,
    toolCallId: ev.call_id,
    content: isFailure ? JSON.stringify({ error }) : ev.output_text,
    role: 'tool',
  }
}

function progress(
  ev: EventOf<'tool.progress'>,
  call: AgUiCall,
  put: (next: AgUiCall) => AgUiState,
): AgUiStep {
  const at = Date.parse(ev.ts)
  if (at - (call.progressAt ?? Number.NEGATIVE_INFINITY) < PROGRESS_MS) return [put(call), []]
  const { message, progress: done, total, output_delta } = ev
  const content = {
    toolCallId: ev.call_id,
    ...(message === undefined ? {} : { message: message.slice(0, MAX_TEXT) }),
    ...(done === undefined ? {} : { progress: done }),
    ...(total === undefined ? {} : { total }),
    ...(output_delta === undefined ? {} : { output: output_delta.slice(-MAX_TEXT) }),
  }
  return [put({ ...call, progressAt: at }), [activity(`progress_${ev.call_id}`, 'tool-progress', content)]]
}

export const activity = (messageId: string, activityType: string, content: object): AgUiEvent => ({
  type: 'ACTIVITY_SNAPSHOT',
  messageId,
  activityType,
  content,
  replace: true,
})
