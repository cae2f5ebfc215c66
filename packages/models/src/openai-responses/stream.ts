/**
 * A Responses stream as a fold: one event in, parts out. Pure. Items are found by `output_index`; their ids may be missing
 * or change on servers that imitate the API. A finished item adds what its deltas left out.
 */
import type { Finish, ModelPart, Usage } from '@toolwire/core'
import { asCount, asString, isObject, type JsonObject, NO_USAGE, parseBoundedJson } from '@toolwire/core'
import type { StreamProtocol } from '../shared/attempt.ts'
import { toFailure } from '../shared/failure.ts'
import { reportedUsage } from '../shared/usage.ts'
import { toEventFailure } from './errors.ts'
import {
  addItem,
  addSummaryPart,
  closeItems,
  deltaOf,
  finishItem,
  type ItemTable,
  NO_ITEMS,
  type Origin,
  type StepResult,
  stepDelta,
} from './stream-items.ts'

interface ResponsesStreamState {
  readonly isStarted: boolean
  readonly table: ItemTable
  readonly usage: Usage
}

type StateStep = readonly [ResponsesStreamState, readonly ModelPart[]]

/** `origin` marks the opaque data of the blocks. */
export function responsesStream(origin: Origin): StreamProtocol<ResponsesStreamState> {
  return {
    initial: { isStarted: false, table: NO_ITEMS, usage: NO_USAGE },
    step(state, { data }) {
      // The mark is no end: only an event with a status is.
      if (data.trim() === '[DONE]') return [state, []]
      const event = parseBoundedJson(data)
      return isObject(event) ? stepEvent(state, event, origin) : garbled(state, data)
    },
    end(state, failure) {
      const error =
        failure ?? toFailure('model_unavailable', 'The stream ended before the response was complete.')
      return [{ type: 'error', error, ...reportedUsage(state.usage) }]
    },
  }
}

function garbled(state: ResponsesStreamState, data: string): StateStep {
  const error = toFailure('model_unavailable', 'The provider sent an event that is not JSON.', {
    details: { frame: data.slice(0, 200) },
  })
  return [state, [{ type: 'error', error, ...reportedUsage(state.usage) }]]
}

function stepEvent(state: ResponsesStreamState, event: JsonObject, origin: Origin): StateStep {
  switch (event['type']) {
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
      return start(state, event['response'])
    case 'response.output_item.added':
      return within(state, table => addItem(table, event))
    case 'response.reasoning_summary_part.added':
      return within(state, table => addSummaryPart(table, event))
    case 'response.output_item.done':
      return within(state, table => finishItem(table, event, origin))
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
    case 'response.done':
      return stepEnd(state, event, origin)
    case 'error':
      return fail(state, event)
    default: {
      const delta = deltaOf(event)
      return delta ? within(state, table => stepDelta(table, event, delta)) : [state, []]
    }
  }
}

function start(state: ResponsesStreamState, raw: unknown): StateStep {
  if (state.isStarted) return [state, []]
  const response = isObject(raw) ? raw : {}
  const part: ModelPart = {
    type: 'start',
    provider_message_id: asString(response['id']) ?? '',
    model: asString(response['model']) ?? '',
  }
  return [{ ...state, isStarted: true }, [part]]
}

/** Steps the items; a server that never announced its response has begun with them. */
function within(state: ResponsesStreamState, step: (table: ItemTable) => StepResult): StateStep {
  const [begun, first] = start(state, undefined)
  const [table, parts] = step(begun.table)
  const next = table === begun.table ? begun : { ...begun, table }
  return first.length === 0 ? [next, parts] : [next, [...first, ...parts]]
}

function fail(state: ResponsesStreamState, raw: unknown): StateStep {
  return [state, [{ type: 'error', error: toEventFailure(raw), ...reportedUsage(state.usage) }]]
}

const BY_TYPE: ReadonlyMap<unknown, string> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
])

/** `response.done` of some servers names no outcome but a status; without one it is no end. */
function stepEnd(state: ResponsesStreamState, event: JsonObject, origin: Origin): StateStep {
  const response = isObject(event['response']) ? event['response'] : {}
  const reported = asString(response['status'])
  const status =
    reported === 'cancelled'
      ? reported
      : (BY_TYPE.get(event['type']) ?? reported ?? asString(event['status']))
  if (status === undefined || status === 'in_progress' || status === 'queued') return [state, []]
  return endResponse(state, { ...response, status }, origin)
}

/** The end of a response by its `status`. Also reads a whole response that was not streamed. */
export function endResponse(state: ResponsesStreamState, response: JsonObject, origin: Origin): StateStep {
  const [begun, first] = start(state, response)
  const usage = isObject(response['usage']) ? toUsage(response['usage']) : begun.usage
  const known = { ...begun, usage }
  if (response['status'] === 'failed') return prepend(first, fail(known, response['error']))
  if (response['status'] === 'cancelled') {
    const error = toFailure('interrupted', 'The provider cancelled the response.')
    return [known, [...first, { type: 'error', error, ...reportedUsage(usage) }]]
  }
  const [table, parts] = closeItems(known.table, response['output'], origin)
  const next = { ...known, table }
  const reason = isObject(response['incomplete_details'])
    ? response['incomplete_details']['reason']
    : undefined
  const finish = toFinish(response['status'], reason, table.calls)
  if (finish === undefined) {
    const error = toFailure('model_error', `The provider ended the response early (${String(reason)}).`)
    return [next, [...first, ...parts, { type: 'error', error, ...reportedUsage(usage) }]]
  }
  const tier = asString(response['service_tier'])
  const end: ModelPart = {
    type: 'end',
    stop_reason: response['status'] === 'incomplete' ? String(reason) : 'completed',
    finish,
    ...(tier === undefined || tier === 'default' || tier === 'auto'
      ? {}
      : { stop_details: { service_tier: tier } }),
    usage,
  }
  return [next, [...first, ...parts, end]]
}

const prepend = (first: readonly ModelPart[], [state, parts]: StateStep): StateStep => [
  state,
  [...first, ...parts],
]

/** Undefined for an end that is an error. */
function toFinish(status: unknown, reason: unknown, calls: number): Finish | undefined {
  if (status !== 'incomplete') return calls > 0 ? 'tool_calls' : 'stop'
  if (reason === 'max_output_tokens') return 'length'
  return reason === 'content_filter' ? 'content_filter' : undefined
}

/** Input tokens include the cached ones here; ours do not. */
function toUsage(raw: JsonObject): Usage {
  const input = asCount(raw['input_tokens']) ?? 0
  const details = isObject(raw['input_tokens_details']) ? raw['input_tokens_details'] : {}
  const output = isObject(raw['output_tokens_details']) ? raw['output_tokens_details'] : {}
  const cache_read = asCount(details['cached_tokens']) ?? 0
  const cache_write = asCount(details['cache_write_tokens']) ?? 0
  const kept = isObject(details['cache_write_tokens_details']) ? details['cache_write_tokens_details'] : {}
  const halfDay = asCount(kept['ttl_12h_tokens'])
  return {
    input: Math.max(0, input - cache_read - cache_write),
    output: asCount(raw['output_tokens']) ?? 0,
    cache_read,
    cache_write,
    ...(halfDay ? { cache_write_12h: halfDay } : {}),
    reasoning: asCount(output['reasoning_tokens']) ?? 0,
  }
}
