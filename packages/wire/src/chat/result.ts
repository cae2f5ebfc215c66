/** The `result` frame: every number is a number, whatever the run recorded, because clients format them unasked. */
import { type EventOf, sumUsage, type Usage } from '@toolwire/core'
import { type ChatRun, NO_USAGE } from './chat-state.ts'

type ResultSubtype =
  | 'success'
  | 'paused'
  | 'cancelled'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_during_execution'

export interface ResultData {
  readonly subtype: ResultSubtype
  readonly is_error: boolean
  readonly duration_ms: number
  readonly total_cost_usd: number
  readonly num_turns: number
  readonly usage: ReturnType<typeof toWireUsage>
  readonly result: string
}

/** Token counts under the names of the chat API. */
export const toWireUsage = (usage: Usage) => ({
  input_tokens: usage.input,
  cache_read_input_tokens: usage.cache_read,
  cache_creation_input_tokens: usage.cache_write,
  output_tokens: usage.output,
})

/** The response text: every `text_delta` of the root agent, joined, without what broken messages said before a retry. */
export const wholeText = ({ text, openText }: ChatRun): string => text + openText

type FinalRunEnd = EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>

/** The totals recorded at the end of a run. */
export function toResult(ev: FinalRunEnd, run: ChatRun): ResultData {
  const usage = ev.usage_by_model.reduce((sum, row) => sumUsage(sum, row.usage), NO_USAGE)
  return {
    subtype: subtypeOf(ev),
    is_error: ev.type === 'run.failed',
    duration_ms: ev.duration_ms,
    total_cost_usd: ev.cost_usd ?? 0,
    num_turns: ev.num_turns,
    usage: toWireUsage(usage),
    result: wholeText(run),
  }
}

/** A pause records no totals: they are the sums so far. */
export function toPausedResult(ev: EventOf<'run.paused'>, run: ChatRun): ResultData {
  const elapsed = Date.parse(ev.ts) - Date.parse(run.started_at)
  return {
    subtype: 'paused',
    is_error: false,
    duration_ms: elapsed > 0 ? elapsed : 0,
    total_cost_usd: run.cost_usd,
    num_turns: run.num_turns,
    usage: toWireUsage(run.usage),
    result: wholeText(run),
  }
}

function subtypeOf(ev: FinalRunEnd): ResultSubtype {
  switch (ev.type) {
    case 'run.completed':
      return 'success'
    case 'run.cancelled':
      return 'cancelled'
    case 'run.failed':
      if (ev.error.code === 'max_turns') return 'error_max_turns'
      return ev.error.code === 'budget_exceeded' ? 'error_max_budget_usd' : 'error_during_execution'
  }
}
