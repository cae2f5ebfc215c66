/**
 * The Messages API as a pure fold: log records in, named events out. One answer is one message,
 * however many rounds the server ran for it: one message_start, blocks one after another with
 * dense indexes, one message_delta and message_stop, or an error and nothing more.
 */
import { type Rec, type Usage, writeJson } from '@toolwire/core'
import type { AnswerFinish, AnswerPart, OpenBlock, ServedSearch } from '../gateway/answer-part.ts'
import { type AnswerState, initialAnswer, stepAnswer } from '../gateway/step-answer.ts'
import { mergeWarnings, type Warning } from '../gateway/warning.ts'
import { defineWire, type Frame, NO_FRAMES, type Projection, type ProjectionContext } from '../wire.ts'
import { toMessagesError } from './error-body.ts'
import type {
  BlockDelta,
  Message,
  MessageBlock,
  MessageEvent,
  MessagesUsage,
  ProviderBlock,
  StopReason,
} from './message-event.ts'
import { searchBlocks } from './search-blocks.ts'

/** Options of the projection, from the request. */
export interface MessagesOptions {
  /** The id that the request named. */
  readonly model?: string
  readonly warnings?: readonly Warning[]
}

interface MessagesState {
  readonly session_id: string
  readonly options: MessagesOptions
  readonly answer: AnswerState
  readonly head: Pick<Message, 'id' | 'model'>
  readonly begun: boolean
  readonly block: OpenBlock | undefined
  readonly index: number
  readonly calls: number
  readonly searches: number
}

export const messagesProjection: Projection<MessagesState> = {
  initial: toInitial,
  step(state, rec: Rec) {
    const [answer, parts] = stepAnswer(state.answer, rec)
    let next: MessagesState = { ...state, answer }
    if (parts.length === 0) return [next, NO_FRAMES]
    const frames: Frame[] = []
    for (const part of parts) next = project(next, part, frames)
    return [next, frames]
  },
}

/** Watch any run through it. Options: see `MessagesOptions`. */
export const messagesWire = defineWire('anthropic-messages', messagesProjection, { memory: 'answer' })

/** The id of the response whose run's first record is at `seq`. */
export const toMessageId = (session_id: string, seq: number): string => `msg_${session_id}_${seq}`

/** The session and run that an answer's id names; undefined for ids that this wire never gave. */
export function readMessageId(id: string): { readonly session_id: string; readonly seq: number } | undefined {
  const found = /^msg_([A-Za-z0-9_-]{1,128})_(\d{1,15})$/.exec(id)
  return found ? { session_id: found[1] ?? '', seq: Number(found[2]) } : undefined
}

function toInitial({ session_id, options }: ProjectionContext): MessagesState {
  return {
    session_id,
    options: (options ?? {}) as MessagesOptions,
    answer: initialAnswer,
    head: { id: '', model: '' },
    begun: false,
    block: undefined,
    index: 0,
    calls: 0,
    searches: 0,
  }
}

function project(state: MessagesState, part: AnswerPart, out: Frame[]): MessagesState {
  switch (part.type) {
    case 'begin': {
      const head = { id: toMessageId(state.session_id, part.seq), model: state.options.model ?? part.model }
      return { ...state, head, begun: false, block: undefined, index: 0, calls: 0, searches: 0 }
    }
    case 'open':
      return open(state, part.block, out)
    case 'delta':
      if (state.block) write(out, toDelta(state, toBlockDelta(state.block, part.text)))
      return state
    case 'signature':
      if (state.block?.kind === 'thinking')
        write(out, toDelta(state, { type: 'signature_delta', signature: part.signature }))
      return state
    case 'citation':
      // Another vendor's: clients send citations back, and this API knows its own alone.
      if (part.citation.type === 'url_citation') return state
      write(out, toDelta(state, { type: 'citations_delta', citation: part.citation }))
      return state
    case 'close': {
      write(out, { type: 'content_block_stop', index: state.index })
      const calls = state.calls + (part.block.kind === 'call' ? 1 : 0)
      return { ...state, block: undefined, index: state.index + 1, calls }
    }
    case 'hidden':
      return state
    case 'search':
      return part.search.isNative
        ? { ...state, searches: state.searches + 1 }
        : addSearch(state, part.search, out)
    case 'finish':
      return finish(state, part, out)
    case 'error':
      out.push({ event: 'error', data: JSON.stringify(toMessagesError(part.error).body) })
      return state
  }
}

function open(state: MessagesState, block: OpenBlock, out: Frame[]): MessagesState {
  const begun = begin(state, out)
  write(out, { type: 'content_block_start', index: begun.index, content_block: toEmptyBlock(block) })
  const next = { ...begun, block }
  if (block.kind === 'provider') writeInput(next, block.data as ProviderBlock, out)
  return next
}

/** The search as the provider's own would look. */
function addSearch(state: MessagesState, search: ServedSearch, out: Frame[]): MessagesState {
  const last = searchBlocks(search).reduce((before, data) => {
    const opened = open(before, { kind: 'provider', data }, out)
    write(out, { type: 'content_block_stop', index: opened.index })
    return { ...opened, block: undefined, index: opened.index + 1 }
  }, state)
  return { ...last, searches: last.searches + 1 }
}

/** Clients read the arguments of provider-run calls from deltas; other blocks contain them. */
function writeInput(state: MessagesState, block: ProviderBlock, out: Frame[]): void {
  if (block.type !== 'server_tool_use' || block['input'] === undefined) return
  write(out, toDelta(state, { type: 'input_json_delta', partial_json: writeJson(block['input']) }))
}

function toEmptyBlock(block: OpenBlock): MessageBlock {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: redacted(block.data) }
    case 'call':
      return { type: 'tool_use', id: block.call_id, name: block.name, input: {} }
    case 'provider': {
      const whole = block.data as ProviderBlock
      return whole.type === 'server_tool_use' ? { ...whole, input: {} } : whole
    }
  }
}

/** The log keeps the provider's block, or its data alone. */
function redacted(data: unknown): string {
  if (typeof data === 'string') return data
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : ''
  return typeof inner === 'string' ? inner : ''
}

function toBlockDelta(block: OpenBlock, text: string): BlockDelta {
  switch (block.kind) {
    case 'thinking':
      return { type: 'thinking_delta', thinking: text }
    case 'call':
      return { type: 'input_json_delta', partial_json: text }
    case 'text':
    case 'refusal':
    case 'redacted_thinking':
    case 'provider':
      return { type: 'text_delta', text }
  }
}

const toDelta = (state: MessagesState, delta: BlockDelta): MessageEvent => ({
  type: 'content_block_delta',
  index: state.index,
  delta,
})

function begin(state: MessagesState, out: Frame[]): MessagesState {
  if (state.begun) return state
  const message: Message = {
    ...state.head,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: toMessagesUsage({ input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }),
  }
  write(out, { type: 'message_start', message })
  return { ...state, begun: true }
}

function finish(state: MessagesState, part: AnswerFinish, out: Frame[]): MessagesState {
  const begun = begin(state, out)
  const warnings = mergeWarnings(state.options.warnings ?? [], part.warnings)
  const stop_reason = toStopReason(state, part)
  const details = stop_reason === 'refusal' && part.stop_details ? { stop_details: part.stop_details } : {}
  write(out, {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null, ...details },
    usage: {
      ...toMessagesUsage(part.usage),
      ...(state.searches > 0 ? { server_tool_use: { web_search_requests: state.searches } } : {}),
    },
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(part.waiting.length > 0 ? { pending: part.waiting } : {}),
  })
  write(out, { type: 'message_stop' })
  return begun
}

const NATIVE: ReadonlySet<string> = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'refusal',
  'model_context_window_exceeded',
])

function toStopReason(state: MessagesState, { reason, stop_reason }: AnswerFinish): StopReason {
  switch (reason) {
    case 'tool_calls':
      return state.calls > 0 ? 'tool_use' : 'end_turn'
    case 'length':
      return stop_reason === 'model_context_window_exceeded' ? stop_reason : 'max_tokens'
    case 'content_filter':
    case 'refusal':
      return 'refusal'
    case 'stop':
      return stop_reason !== undefined && NATIVE.has(stop_reason) ? (stop_reason as StopReason) : 'end_turn'
    case 'pause':
    case 'error':
    case 'cancelled':
      return 'end_turn'
  }
}

function write(out: Frame[], event: MessageEvent): void {
  out.push({ event: event.type, data: JSON.stringify(event) })
}

/** Absolute numbers of the whole answer. Pure. */
function toMessagesUsage(usage: Usage): MessagesUsage {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cache_write,
    cache_read_input_tokens: usage.cache_read,
  }
}
