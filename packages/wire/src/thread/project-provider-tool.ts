/** Tools that the model's provider runs inside its own answer: their blocks hold both the call and its result. */

import type { EventOf } from '@toolwire/core'
import { callKey, withoutEntry } from '../shared/map-entry.ts'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { toArguments } from './json-text.ts'
import { toFrame } from './thread-frame.ts'
import type { ThreadBlock, ThreadState } from './thread-state.ts'

type ThreadStep = readonly [ThreadState, readonly Frame[]]
type BlockCompleted = EventOf<'block.completed'>

/** The provider has begun to run a call whose arguments the block held; other blocks show nothing. */
export function providerCall(state: ThreadState, block: ThreadBlock, ev: BlockCompleted): ThreadStep {
  const call = state.calls.get(callKey(block.agent_id, block.call_id ?? ''))
  if (call?.executor !== 'provider') return [state, NO_FRAMES]
  const { tool_type, name, agent_id } = call
  const input = ev.input_text ?? ''
  const body = { call_id: block.call_id, tool_type, name, arguments: toArguments(input), agent_id }
  return [state, [toFrame('tool.call', body, ev.ts)]]
}

/** The provider's result of a call that it ran; sent if it names that call. */
export function providerResult(state: ThreadState, block: ThreadBlock, ev: BlockCompleted): ThreadStep {
  const data = ev.data as { readonly tool_use_id?: unknown; readonly is_error?: unknown } | null | undefined
  const call_id = typeof data?.tool_use_id === 'string' ? data.tool_use_id : ''
  const key = callKey(block.agent_id, call_id)
  const call = state.calls.get(key)
  if (!call) return [state, NO_FRAMES]
  const { tool_type, name, agent_id } = call
  const success = data?.is_error !== true
  const body = { call_id, tool_type, name, success, output: JSON.stringify(ev.data), agent_id }
  const calls = withoutEntry(state.calls, key)
  return [{ ...state, calls }, [toFrame('tool.result', body, ev.ts)]]
}
