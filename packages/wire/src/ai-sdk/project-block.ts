/** Blocks of a model message: text, reasoning and calls. The delta path builds one string and nothing else. */

import type { BlockKind, EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import { parseInput } from '../shared/parse-input.ts'
import type { AiSdkState, AiSdkStep, Exchange, UiBlock, UiCall } from './ai-sdk-state.ts'
import { endOfBlock, fieldsOf } from './close-open.ts'
import type { UiChunk } from './ui-chunk.ts'

export function blockStarted(state: AiSdkState, exchange: Exchange, ev: EventOf<'block.started'>): AiSdkStep {
  const kind = kindOf(ev.kind)
  if (kind === undefined) return [state, []]
  if (kind === 'tool') return callStarted(state, exchange, ev)
  const counter = kind === 'text' ? 'texts' : 'reasonings'
  const ordinal = exchange[counter]
  const isHeld = isHeldBlock(exchange, counter)
  const block = toBlock(kind, ev.block_id, isHeld)
  const next = {
    ...exchange,
    [counter]: ordinal + 1,
    blocks: withEntry(exchange.blocks, ev.block_id, block),
  }
  return [{ ...state, exchange: next }, isHeld ? [] : [{ type: `${kind}-start`, id: ev.block_id }]]
}

/** Of the last step that the page has, blocks beyond those it has are new. */
function isHeldBlock({ held, steps, ...counts }: Exchange, counter: 'texts' | 'reasonings'): boolean {
  const step = held?.steps[steps - 1]
  if (!held || !step) return false
  return steps < held.steps.length || counts[counter] < step[counter]
}

function callStarted(state: AiSdkState, exchange: Exchange, ev: EventOf<'block.started'>): AiSdkStep {
  const { tool } = ev
  if (!tool) return [state, []]
  const isHeld = exchange.held?.calls.has(tool.call_id) ?? false
  const call: UiCall = {
    call_id: tool.call_id,
    name: tool.name,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    isClient: tool.executor === 'client',
    isShown: true,
    isReady: false,
    input_text: '',
    isHeld,
    isRefused: false,
  }
  const next = {
    ...exchange,
    blocks: withEntry(exchange.blocks, ev.block_id, toBlock('tool', tool.call_id, isHeld)),
    calls: withEntry(exchange.calls, callKey(undefined, tool.call_id), call),
  }
  const chunk: UiChunk = {
    type: 'tool-input-start',
    toolName: call.name,
    ...titleOf(state, call),
    ...fieldsOf(call),
  }
  return [{ ...state, exchange: next }, isHeld ? [] : [chunk]]
}

/** Version 5 has no titles. */
export const titleOf = ({ dialect }: AiSdkState, { title }: UiCall) =>
  dialect === 5 || title === undefined ? {} : { title }

const toBlock = (kind: UiBlock['kind'], id: string, isHeld: boolean): UiBlock => ({
  kind,
  id,
  deltaHead:
    kind === 'tool'
      ? `{"type":"tool-input-delta","toolCallId":${JSON.stringify(id)},"inputTextDelta":`
      : `{"type":"${kind}-delta","id":${JSON.stringify(id)},"delta":`,
  isStreamed: false,
  isHeld,
})

/** The frame's data; undefined when the delta shows nothing. */
export function blockDelta(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'block.delta'>,
): readonly [AiSdkState, string | undefined] {
  const block = exchange.blocks.get(ev.block_id)
  const piece = ev.text ?? ev.thinking ?? ev.input_text
  if (!block || block.isHeld || piece === undefined || piece === '') return [state, undefined]
  const data = `${block.deltaHead}${JSON.stringify(piece)}}`
  if (block.isStreamed) return [state, data]
  const blocks = withEntry(exchange.blocks, ev.block_id, { ...block, isStreamed: true })
  return [{ ...state, exchange: { ...exchange, blocks } }, data]
}

export function blockCompleted(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'block.completed'>,
): AiSdkStep {
  const block = exchange.blocks.get(ev.block_id)
  if (!block) return providerResult(state, exchange, ev)
  const blocks = withoutEntry(exchange.blocks, ev.block_id)
  const whole = ev.text ?? ev.thinking ?? ev.input_text ?? ''
  const unsent = block.isStreamed || block.isHeld || whole === '' ? [] : [toDelta(block, whole)]
  if (block.kind !== 'tool')
    return [{ ...state, exchange: { ...exchange, blocks } }, [...unsent, ...endOfBlock(block)]]
  const key = callKey(undefined, block.id)
  const call = exchange.calls.get(key)
  const calls = call ? withEntry(exchange.calls, key, { ...call, input_text: whole }) : exchange.calls
  return [{ ...state, exchange: { ...exchange, blocks, calls } }, unsent]
}

const toDelta = ({ kind, id }: UiBlock, text: string): UiChunk =>
  kind === 'tool'
    ? { type: 'tool-input-delta', toolCallId: id, inputTextDelta: text }
    : { type: `${kind}-delta`, id, delta: text }

/** A tool that the provider runs inside its message: call and result are blocks, no event follows them. */
function providerResult(state: AiSdkState, exchange: Exchange, ev: EventOf<'block.completed'>): AiSdkStep {
  const data = ev.data as { readonly tool_use_id?: unknown; readonly is_error?: unknown } | null | undefined
  const key = callKey(undefined, typeof data?.tool_use_id === 'string' ? data.tool_use_id : '')
  const call = exchange.calls.get(key)
  if (!call || call.isReady) return [state, []]
  const next = { ...exchange, calls: withoutEntry(exchange.calls, key) }
  if (exchange.held?.calls.get(call.call_id)?.isEnded) return [{ ...state, exchange: next }, []]
  const input = parseInput(call.input_text) ?? call.input_text
  const available: UiChunk = {
    type: 'tool-input-available',
    toolName: call.name,
    input,
    ...titleOf(state, call),
    ...fieldsOf(call),
  }
  const outcome: UiChunk =
    data?.is_error === true
      ? { type: 'tool-output-error', errorText: JSON.stringify(data), ...fieldsOf(call) }
      : { type: 'tool-output-available', output: data, ...fieldsOf(call) }
  return [{ ...state, exchange: next }, call.isHeld ? [outcome] : [available, outcome]]
}

/** Encrypted reasoning and generated files show nothing: the page would store them and send them back. */
function kindOf(kind: BlockKind): UiBlock['kind'] | undefined {
  switch (kind) {
    case 'text':
    case 'refusal':
      return 'text'
    case 'thinking':
      return 'reasoning'
    case 'tool_use':
    case 'provider_tool_use':
      return 'tool'
    case 'redacted_thinking':
    case 'provider_tool_result':
    case 'file':
      return undefined
  }
}
