/**
 * A Chat Completions stream as a fold: one chunk in, parts out. Pure. Servers differ in nearly everything, so
 * calls are identified by id first, then by index, then by context; a finish reason applies only if the content
 * does not contradict it.
 */
import type { Finish, ModelPart, Usage } from '@toolwire/core'
import {
  asCount,
  asNumber,
  asString,
  isObject,
  type JsonObject,
  NO_USAGE,
  parseBoundedJson,
} from '@toolwire/core'
import type { StreamProtocol } from '../shared/attempt.ts'
import { toFailure } from '../shared/failure.ts'
import { toStreamFailure } from '../shared/openai-errors.ts'
import { reportedUsage } from '../shared/usage.ts'
import { type CallTable, endCalls, noCalls, stepCalls } from './calls.ts'
import { addDetails, type ChatOrigin, toOpaque } from './origin.ts'

interface ChatStreamState {
  readonly started: boolean
  /** The open block of text, thinking or refusal; at most one. */
  readonly open?: { readonly index: number; readonly kind: 'text' | 'thinking' | 'refusal' } | undefined
  readonly count: number
  readonly calls: CallTable
  readonly usage: Usage
  readonly finish?: string | undefined
  /** US dollars, where the provider reports them. */
  readonly cost?: number | undefined
  /** `reasoning_details` so far; undefined when they cannot go back. */
  readonly details: readonly JsonObject[] | undefined
  /** `extra_content` of the message. */
  readonly extra?: JsonObject | undefined
}

type State = ChatStreamState
type ChatStep = readonly [State, readonly ModelPart[]]

/** `origin` marks the opaque data of the blocks. */
export function chatStream(origin: ChatOrigin): StreamProtocol<State> {
  const calls = noCalls(extra_content => toOpaque(origin, { extra_content }))
  return {
    initial: { started: false, count: 0, calls, usage: NO_USAGE, details: [] },
    step(state, { data }) {
      if (data.trim() === '[DONE]') return finishStream(state, origin)
      const chunk = parseBoundedJson(data)
      if (!isObject(chunk)) return garbled(state, data)
      return stepChunk(state, chunk)
    },
    end(state, failure) {
      // The answer is complete once its finish reason has come; a missing terminator changes nothing.
      if (state.finish !== undefined && failure?.code !== 'interrupted') return finishStream(state, origin)[1]
      const error =
        failure ?? toFailure('model_unavailable', 'The stream was interrupted before the message ended.')
      return [{ type: 'error', error, ...reportedUsage(state.usage) }]
    },
  }
}

function garbled(state: State, data: string): ChatStep {
  const error = toFailure('model_unavailable', 'The provider sent a chunk that is not JSON.', {
    details: { frame: data.slice(0, 200) },
  })
  return [state, [{ type: 'error', error, ...reportedUsage(state.usage) }]]
}

/** Also takes a whole completion, whose `message` reads like one big delta. */
export function stepChunk(state: State, chunk: JsonObject): ChatStep {
  if (isObject(chunk['error']) || typeof chunk['error'] === 'string')
    return [state, [{ type: 'error', error: toStreamFailure(chunk['error']), ...reportedUsage(state.usage) }]]
  const [started, first] = start(state, chunk)
  const withUsage = isObject(chunk['usage'])
    ? { ...started, usage: toUsage(chunk['usage']), cost: toReportedCost(chunk['usage']) }
    : started
  const choices = Array.isArray(chunk['choices']) ? chunk['choices'] : []
  const choice: unknown = choices.find(entry => isObject(entry) && (entry['index'] ?? 0) === 0)
  if (!isObject(choice)) return [withUsage, first]
  const delta = isObject(choice['delta'])
    ? choice['delta']
    : isObject(choice['message'])
      ? choice['message']
      : {}
  const [said, parts] = stepDelta(addExtras(withUsage, delta), delta)
  const finish = asString(choice['finish_reason'])
  if (finish === undefined || finish === '') return [said, [...first, ...parts]]
  if (finish === 'error') {
    const error = toFailure('model_error', 'The provider ended the answer with an error.')
    return [said, [...first, ...parts, { type: 'error', error, ...reportedUsage(said.usage) }]]
  }
  return [{ ...said, finish }, [...first, ...parts]]
}

/** Opaque fields of the message, which go back with it. */
function addExtras(state: State, delta: JsonObject): State {
  const { reasoning_details: pieces, extra_content } = delta
  if (!Array.isArray(pieces) && !isObject(extra_content)) return state
  return {
    ...state,
    ...(Array.isArray(pieces) && state.details
      ? { details: addDetails(state.details, pieces.filter(isObject)) }
      : {}),
    ...(isObject(extra_content) ? { extra: extra_content } : {}),
  }
}

function start(state: State, chunk: JsonObject): ChatStep {
  if (state.started) return [state, []]
  const part: ModelPart = {
    type: 'start',
    provider_message_id: asString(chunk['id']) ?? '',
    model: asString(chunk['model']) ?? '',
  }
  return [{ ...state, started: true }, [part]]
}

function stepDelta(state: State, delta: JsonObject): ChatStep {
  const thinking = asString(delta['reasoning_content']) ?? asString(delta['reasoning']) ?? ''
  const calls = callsOf(state, delta)
  const [a, thought] = say(state, 'thinking', thinking)
  const [b, text] = say(a, 'text', textOf(delta['content']))
  const [c, refused] = say(b, 'refusal', asString(delta['refusal']) ?? '')
  const parts = [...thought, ...text, ...refused]
  if (calls.length === 0) return parts.length === 0 ? [state, parts] : [c, parts]
  const [d, closed] = close(c)
  const stepped = stepCalls(d.calls, calls, d.count)
  return [{ ...d, calls: stepped.table, count: stepped.count }, [...parts, ...closed, ...stepped.parts]]
}

/** Older servers send one call as `function_call`; beside `tool_calls` it repeats the first of them. */
function callsOf({ calls }: State, delta: JsonObject): readonly JsonObject[] {
  const listed = Array.isArray(delta['tool_calls']) ? delta['tool_calls'].filter(isObject) : []
  const legacy = delta['function_call']
  if (!isObject(legacy) || listed.length > 0) return listed
  const isRepeated = calls.calls.some(call => call.id !== '' || call.at !== undefined)
  return isRepeated ? [] : [{ function: legacy }]
}

/** A few servers send content as a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (isObject(part) ? (asString(part['text']) ?? '') : '')).join('')
}

function say(state: State, kind: 'text' | 'thinking' | 'refusal', text: string): ChatStep {
  if (text === '') return [state, []]
  const field = kind === 'thinking' ? 'thinking' : 'text'
  if (state.open?.kind === kind)
    return [state, [{ type: 'block-delta', index: state.open.index, [field]: text }]]
  const [closed, ended] = close(state)
  const index = closed.count
  return [
    { ...closed, open: { index, kind }, count: index + 1 },
    [...ended, { type: 'block-start', index, kind }, { type: 'block-delta', index, [field]: text }],
  ]
}

function close(state: State): ChatStep {
  if (!state.open) return [state, []]
  return [{ ...state, open: undefined }, [{ type: 'block-end', index: state.open.index }]]
}

function finishStream(state: State, origin: ChatOrigin): ChatStep {
  if (!state.started) {
    const error = toFailure('model_unavailable', 'The provider ended the stream without an answer.')
    return [state, [{ type: 'error', error }]]
  }
  const [closed, ended] = close(state)
  const calls = endCalls(closed.calls, closed.count)
  const stop_reason = state.finish ?? (calls.total > 0 ? 'tool_calls' : 'stop')
  const end: ModelPart = {
    type: 'end',
    stop_reason,
    finish: toFinish(stop_reason, calls.total),
    usage: state.usage,
    ...(state.cost === undefined ? {} : { cost_usd: state.cost }),
  }
  return [closed, [...attachExtras(state, [...ended, ...calls.parts], origin), end]]
}

/** Fields of the whole message are kept with the first block that ends here; every answer has one. */
function attachExtras(
  { details = [], extra }: State,
  parts: readonly ModelPart[],
  origin: ChatOrigin,
): readonly ModelPart[] {
  if (details.length === 0 && extra === undefined) return parts
  const first = parts.findIndex(part => part.type === 'block-end')
  const end = parts[first]
  if (end?.type !== 'block-end') return parts
  const message = {
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...(extra === undefined ? {} : { extra_content: extra }),
  }
  const data = { ...(isObject(end.opaque?.data) ? end.opaque.data : {}), message }
  return parts.with(first, { ...end, opaque: toOpaque(origin, data) })
}

/** Routers report what a request cost them; it takes precedence over every table. */
function toReportedCost({ cost }: JsonObject): number | undefined {
  const usd = asNumber(cost)
  return usd !== undefined && usd >= 0 ? usd : undefined
}

function toFinish(reason: string, calls: number): Finish {
  switch (reason) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
      return 'content_filter'
    default:
      return calls > 0 ? 'tool_calls' : 'stop'
  }
}

/** Prompt tokens include the cached ones here; ours do not. */
function toUsage(raw: JsonObject): Usage {
  const prompt = asCount(raw['prompt_tokens']) ?? 0
  const details = isObject(raw['prompt_tokens_details']) ? raw['prompt_tokens_details'] : {}
  const output = isObject(raw['completion_tokens_details']) ? raw['completion_tokens_details'] : {}
  const cache_read = asCount(details['cached_tokens']) ?? asCount(raw['prompt_cache_hit_tokens']) ?? 0
  const cache_write = asCount(details['cache_write_tokens']) ?? 0
  return {
    input: Math.max(0, prompt - cache_read - cache_write),
    output: asCount(raw['completion_tokens']) ?? 0,
    cache_read,
    cache_write,
    reasoning: asCount(output['reasoning_tokens']) ?? 0,
  }
}
