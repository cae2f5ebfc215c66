/**
 * Parts as the Messages API streams them: a ping after the first block has begun, an empty
 * first fragment of every tool input, cumulative usage at the end. Pure.
 */
import type { ModelPart, Usage } from '@toolwire/core'
import { isObject, type JsonObject, NO_USAGE, parseArguments } from '@toolwire/core'
import { messagesErrorType } from './error-bodies.ts'
import type { EncodeContext, Frame, FrameEncoder } from './frame.ts'

interface MessagesEncoderState {
  readonly pinged: boolean
  /** Blocks that this wire does not show. */
  readonly hidden: readonly number[]
}

export function createMessagesEncoder(context: EncodeContext): FrameEncoder<MessagesEncoderState> {
  return {
    initial: { pinged: false, hidden: [] },
    step(state, part) {
      switch (part.type) {
        case 'start':
          return [state, [messageStart(part, context)]]
        case 'block-start':
          return blockStart(state, part)
        case 'block-delta':
          return [state, state.hidden.includes(part.index) ? [] : deltas(part)]
        case 'block-end':
          return [
            state,
            state.hidden.includes(part.index) ? [] : [frame('content_block_stop', { index: part.index })],
          ]
        // Parts that are reported elsewhere have no frame.
        case 'retry':
          return [state, []]
        case 'end':
          return [state, [messageDelta(part), frame('message_stop', {})]]
        case 'error':
          return [state, [errorFrame(messagesErrorType(part.error.code), part.error.message)]]
      }
    },
  }
}

export const PING: Frame = { event: 'ping', data: '{"type": "ping"}' }

export const errorFrame = (type: string, message: string): Frame =>
  frame('error', { error: { type, message } })

const frame = (event: string, payload: JsonObject): Frame => ({
  event,
  data: JSON.stringify({ type: event, ...payload }),
})

function messageStart(part: Extract<ModelPart, { type: 'start' }>, context: EncodeContext): Frame {
  return frame('message_start', {
    message: {
      id: part.provider_message_id || 'msg_fake',
      type: 'message',
      role: 'assistant',
      model: context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...toUsage(part.usage ?? NO_USAGE), output_tokens: 1 },
    },
  })
}

const toUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: usage.cache_write,
  cache_read_input_tokens: usage.cache_read,
  output_tokens: usage.output,
  ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
})

function blockStart(
  state: MessagesEncoderState,
  part: Extract<ModelPart, { type: 'block-start' }>,
): readonly [MessagesEncoderState, readonly Frame[]] {
  const content_block = toBlock(part)
  if (!content_block) return [{ ...state, hidden: [...state.hidden, part.index] }, []]
  const start = frame('content_block_start', { index: part.index, content_block })
  const empty = delta(part.index, { type: 'input_json_delta', partial_json: '' })
  const frames = part.kind === 'tool_use' ? [start, empty] : [start]
  return state.pinged
    ? [state, frames]
    : [{ ...state, pinged: true }, [...frames.slice(0, 1), PING, ...frames.slice(1)]]
}

function toBlock(part: Extract<ModelPart, { type: 'block-start' }>): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'tool_use':
      return { type: 'tool_use', id: part.tool?.id ?? '', name: part.tool?.name ?? '', input: {} }
    case 'redacted_thinking':
    case 'provider_tool_use':
    case 'provider_tool_result':
    case 'file':
      return isObject(part.data) ? part.data : undefined
  }
}

const delta = (index: number, payload: JsonObject): Frame =>
  frame('content_block_delta', { index, delta: payload })

function deltas(part: Extract<ModelPart, { type: 'block-delta' }>): readonly Frame[] {
  const { index } = part
  return [
    ...(part.text === undefined ? [] : [delta(index, { type: 'text_delta', text: part.text })]),
    ...(part.thinking === undefined
      ? []
      : [delta(index, { type: 'thinking_delta', thinking: part.thinking })]),
    ...(part.input_text === undefined
      ? []
      : [delta(index, { type: 'input_json_delta', partial_json: part.input_text })]),
    ...(part.citation === undefined
      ? []
      : [delta(index, { type: 'citations_delta', citation: part.citation })]),
    ...(part.signature === undefined
      ? []
      : [delta(index, { type: 'signature_delta', signature: part.signature })]),
  ]
}

const STOPS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'refusal',
  content_filter: 'refusal',
  pause: 'pause_turn',
  error: 'end_turn',
}

function messageDelta(part: Extract<ModelPart, { type: 'end' }>): Frame {
  return frame('message_delta', {
    delta: {
      stop_reason: STOPS[part.finish] ?? 'end_turn',
      stop_sequence: null,
      ...(part.stop_details === undefined ? {} : { stop_details: part.stop_details }),
    },
    usage: toUsage(part.usage),
  })
}

/** The whole message, as a request without `stream` gets it: the fold of the same parts. */
export function foldMessage(parts: readonly ModelPart[], context: EncodeContext): JsonObject {
  const content = new Map<number, Record<string, unknown>>()
  const inputs = new Map<number, string>()
  let message: JsonObject = {}
  for (const part of parts) {
    if (part.type === 'start') message = JSON.parse(messageStart(part, context).data).message
    else if (part.type === 'block-start') {
      const block = toBlock(part)
      if (block) content.set(part.index, { ...block })
    } else if (part.type === 'block-delta') grow(content.get(part.index), inputs, part)
    else if (part.type === 'end') {
      const { delta: stop } = JSON.parse(messageDelta(part).data)
      message = { ...message, ...stop, usage: toUsage(part.usage) }
    }
  }
  for (const [index, text] of inputs) {
    const block = content.get(index)
    if (block) block['input'] = parseArguments(text)
  }
  return { ...message, content: [...content.values()] }
}

function grow(
  block: Record<string, unknown> | undefined,
  inputs: Map<number, string>,
  part: Extract<ModelPart, { type: 'block-delta' }>,
): void {
  if (!block) return
  if (part.text !== undefined) block['text'] = `${block['text'] ?? ''}${part.text}`
  if (part.thinking !== undefined) block['thinking'] = `${block['thinking'] ?? ''}${part.thinking}`
  if (part.signature !== undefined) block['signature'] = part.signature
  if (part.citation !== undefined)
    block['citations'] = [...((block['citations'] as unknown[]) ?? []), part.citation]
  if (part.input_text !== undefined) inputs.set(part.index, (inputs.get(part.index) ?? '') + part.input_text)
}
