/** Model messages: steps, texts, reasoning and the arguments of calls. Empty pieces are not sent: readers reject them. */
import type { EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import type { AgUiBlock, AgUiEvent, AgUiState, AgUiStep } from './ag-ui-state.ts'

export function messageStarted(state: AgUiState, ev: EventOf<'message.started'>): AgUiStep {
  const [closed, events] = closeStep(state)
  const steps = state.steps + 1
  const step = `turn-${steps}`
  const message = { id: ev.message_id, isUsed: false }
  return [{ ...closed, steps, step, message }, [...events, { type: 'STEP_STARTED', stepName: step }]]
}

/** Closes blocks and the step. Calls keep their place: their results may follow. */
export function closeStep(state: AgUiState): AgUiStep {
  const events = [...state.blocks.values()].flatMap(endOf)
  const closed: AgUiState = { ...state, blocks: new Map(), step: undefined }
  if (state.step === undefined) return [closed, events]
  return [closed, [...events, { type: 'STEP_FINISHED', stepName: state.step }]]
}

export function blockStarted(state: AgUiState, ev: EventOf<'block.started'>): AgUiStep {
  switch (ev.kind) {
    case 'text':
    case 'refusal': {
      // The first text has the message's id: calls that follow belong to it.
      const id = state.message.isUsed ? ev.block_id : ev.message_id
      const event = { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' }
      return [open(state, ev.block_id, { kind: 'text', id, isStreamed: false }), [event]]
    }
    case 'thinking': {
      const id = ev.block_id
      const blocks = withEntry(state.blocks, id, { kind: 'reasoning', id, isStreamed: false } as const)
      return [
        { ...state, blocks },
        [
          { type: 'REASONING_START', messageId: id },
          { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' },
        ],
      ]
    }
    case 'tool_use':
    case 'provider_tool_use':
      return callStarted(state, ev)
    case 'redacted_thinking':
    case 'provider_tool_result':
    case 'file':
      return [state, []]
  }
}

function callStarted(state: AgUiState, ev: EventOf<'block.started'>): AgUiStep {
  const { tool } = ev
  if (!tool) return [state, []]
  const { call_id, name } = tool
  const call = {
    message_id: ev.message_id,
    name,
    input_text: '',
    isClient: tool.executor === 'client',
    isShown: true,
  }
  const next = {
    ...open(state, ev.block_id, { kind: 'call', id: call_id, isStreamed: false }),
    calls: withEntry(state.calls, callKey(undefined, call_id), call),
  }
  const event = {
    type: 'TOOL_CALL_START',
    toolCallId: call_id,
    toolCallName: name,
    parentMessageId: ev.message_id,
  }
  return [next, [event]]
}

const open = (state: AgUiState, blockId: string, block: AgUiBlock): AgUiState => ({
  ...state,
  message: { ...state.message, isUsed: true },
  blocks: withEntry(state.blocks, blockId, block),
})

export function blockDelta(state: AgUiState, ev: EventOf<'block.delta'>): AgUiStep {
  const block = state.blocks.get(ev.block_id)
  const piece = ev.text ?? ev.thinking ?? ev.input_text ?? ''
  if (!block || piece === '') return [state, []]
  if (block.isStreamed) return [state, [contentOf(block, piece)]]
  const blocks = withEntry(state.blocks, ev.block_id, { ...block, isStreamed: true })
  return [{ ...state, blocks }, [contentOf(block, piece)]]
}

export function blockCompleted(state: AgUiState, ev: EventOf<'block.completed'>): AgUiStep {
  const block = state.blocks.get(ev.block_id)
  if (!block) return [state, []]
  const whole = ev.text ?? ev.thinking ?? ev.input_text ?? ''
  const unsent = block.isStreamed || whole === '' ? [] : [contentOf(block, whole)]
  const next = { ...state, blocks: withoutEntry(state.blocks, ev.block_id) }
  const key = callKey(undefined, block.id)
  const call = block.kind === 'call' ? state.calls.get(key) : undefined
  const calls = call ? withEntry(state.calls, key, { ...call, input_text: whole }) : state.calls
  return [{ ...next, calls }, [...unsent, ...endOf(block)]]
}

function contentOf({ kind, id }: AgUiBlock, delta: string): AgUiEvent {
  switch (kind) {
    case 'text':
      return { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta }
    case 'reasoning':
      return { type: 'REASONING_MESSAGE_CONTENT', messageId: id, delta }
    case 'call':
      return { type: 'TOOL_CALL_ARGS', toolCallId: id, delta }
  }
}

function endOf({ kind, id }: AgUiBlock): readonly AgUiEvent[] {
  switch (kind) {
    case 'text':
      return [{ type: 'TEXT_MESSAGE_END', messageId: id }]
    case 'reasoning':
      return [
        { type: 'REASONING_MESSAGE_END', messageId: id },
        { type: 'REASONING_END', messageId: id },
      ]
    case 'call':
      return [{ type: 'TOOL_CALL_END', toolCallId: id }]
  }
}
