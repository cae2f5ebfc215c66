/**
 * The Messages API's event stream as a fold: one event in, parts out. Pure. Blocks are
 * renumbered densely, because gateways in between number them wrongly; an event that is
 * unknown, or says nothing, returns the very same state.
 */
import {
  asString,
  closeMessagesBlock,
  deltaMessagesBlock,
  isObject,
  type JsonObject,
  type MessagesBlock,
  type ModelPart,
  mergeMessagesUsage,
  NO_USAGE,
  parseBoundedJson,
  startMessagesBlock,
  toMessagesFinish,
  type Usage,
} from '@toolwire/core'
import type { StreamProtocol } from '../shared/attempt.ts'
import { toFailure } from '../shared/failure.ts'
import { reportedUsage } from '../shared/usage.ts'
import { toStreamFailure } from './errors.ts'

interface AnthropicStreamState {
  readonly started: boolean
  readonly open: readonly MessagesBlock[]
  /** Number of blocks so far; the next one's index. */
  readonly count: number
  readonly calls: number
  readonly usage: Usage
  readonly stop?: { readonly reason: string; readonly details?: unknown }
}

type State = AnthropicStreamState
type AnthropicStep = readonly [State, readonly ModelPart[]]

export const anthropicStream: StreamProtocol<State> = {
  initial: { started: false, open: [], count: 0, calls: 0, usage: NO_USAGE },
  step(state, { data }) {
    const event = parseBoundedJson(data)
    if (!isObject(event)) return garbled(state, data)
    return stepEvent(state, event)
  },
  end(state, failure) {
    const error =
      failure ?? toFailure('model_unavailable', 'The stream was interrupted before the message ended.')
    return [{ type: 'error', error, ...reportedUsage(state.usage) }]
  },
}

function garbled(state: State, data: string): AnthropicStep {
  const error = toFailure('model_unavailable', 'The provider sent an event that is not JSON.', {
    details: { frame: data.slice(0, 200) },
  })
  return [state, [{ type: 'error', error, ...reportedUsage(state.usage) }]]
}

function stepEvent(state: State, event: JsonObject): AnthropicStep {
  switch (event['type']) {
    case 'message_start':
      return messageStart(state, event)
    case 'content_block_start':
      return blockStart(state, event)
    case 'content_block_delta':
      return blockDelta(state, event)
    case 'content_block_stop':
      return blockStop(state, event)
    case 'message_delta':
      return messageDelta(state, event)
    case 'message_stop':
      return messageStop(state)
    case 'error':
      return [
        state,
        [{ type: 'error', error: toStreamFailure(event['error']), ...reportedUsage(state.usage) }],
      ]
    default:
      return [state, []]
  }
}

function messageStart(state: State, event: JsonObject): AnthropicStep {
  // A second start would be a second message; the first one's id stays.
  if (state.started) return [state, []]
  const message = isObject(event['message']) ? event['message'] : {}
  const usage = mergeMessagesUsage(NO_USAGE, message['usage'])
  const part: ModelPart = {
    type: 'start',
    provider_message_id: asString(message['id']) ?? '',
    model: asString(message['model']) ?? '',
    usage,
  }
  return [{ ...state, started: true, usage }, [part]]
}

function blockStart(state: State, event: JsonObject): AnthropicStep {
  const raw = isObject(event['content_block']) ? event['content_block'] : {}
  const started = startMessagesBlock(raw, event['index'], state.count)
  if (!started) return [state, []]
  // The same number again, though its block never ended: the old block is over.
  const stale = state.open.filter(block => block.at === event['index'])
  return [
    {
      ...state,
      open: [...state.open.filter(block => block.at !== event['index']), started.block],
      count: state.count + 1,
      calls: state.calls + (started.block.kind === 'tool_use' ? 1 : 0),
    },
    [...stale.flatMap(closeMessagesBlock), ...started.parts],
  ]
}

function blockDelta(state: State, event: JsonObject): AnthropicStep {
  const delta = isObject(event['delta']) ? event['delta'] : {}
  const target = findBlock(state.open, event['index'], delta['type'])
  if (!target) return orphanDelta(state, event, delta)
  const { block, parts } = deltaMessagesBlock(target, delta)
  if (block === target) return [state, parts]
  return [{ ...state, open: state.open.map(other => (other === target ? block : other)) }, parts]
}

const FITS: ReadonlyMap<unknown, readonly MessagesBlock['kind'][]> = new Map<
  unknown,
  MessagesBlock['kind'][]
>([
  ['text_delta', ['text']],
  ['citations_delta', ['text']],
  ['thinking_delta', ['thinking']],
  ['signature_delta', ['thinking']],
  ['input_json_delta', ['tool_use', 'provider_tool_use']],
])

/** By number and kind; else the latest open block of a fitting kind. */
function findBlock(open: readonly MessagesBlock[], index: unknown, type: unknown): MessagesBlock | undefined {
  const kinds = FITS.get(type)
  if (!kinds) return undefined
  const fits = (block: MessagesBlock): boolean => kinds.includes(block.kind)
  return open.find(block => block.at === index && fits(block)) ?? open.findLast(fits)
}

/** Text of an unopened block is still text; arguments without a call are ignored. */
function orphanDelta(state: State, event: JsonObject, delta: JsonObject): AnthropicStep {
  if (delta['type'] !== 'text_delta' || !delta['text']) return [state, []]
  const [opened, parts] = blockStart(state, {
    index: event['index'],
    content_block: { type: 'text', text: '' },
  })
  const [next, more] = blockDelta(opened, event)
  return [next, [...parts, ...more]]
}

function blockStop(state: State, event: JsonObject): AnthropicStep {
  const target = state.open.find(block => block.at === event['index']) ?? state.open.at(-1)
  if (!target) return [state, []]
  return [{ ...state, open: state.open.filter(block => block !== target) }, closeMessagesBlock(target)]
}

function messageDelta(state: State, event: JsonObject): AnthropicStep {
  const delta = isObject(event['delta']) ? event['delta'] : {}
  const reason = asString(delta['stop_reason'])
  const details = delta['stop_details'] ?? undefined
  const stop = reason === undefined ? state.stop : { reason, ...(details === undefined ? {} : { details }) }
  return [{ ...state, usage: mergeMessagesUsage(state.usage, event['usage']), ...(stop ? { stop } : {}) }, []]
}

function messageStop(state: State): AnthropicStep {
  const stop = state.stop ?? { reason: state.calls > 0 ? 'tool_use' : 'end_turn' }
  const end: ModelPart = {
    type: 'end',
    stop_reason: stop.reason,
    finish: toMessagesFinish(stop.reason, state.calls),
    ...(stop.details === undefined ? {} : { stop_details: stop.details }),
    usage: state.usage,
  }
  return [{ ...state, open: [] }, [...state.open.flatMap(closeMessagesBlock), end]]
}
