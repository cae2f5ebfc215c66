/** Runs and model turns: start, steps, and the chunks that end a response. */
import { type EventOf, type Finish, type Rec, sumUsage, type Usage } from '@toolwire/core'
import { type AiSdkState, type AiSdkStep, type Exchange, NO_USAGE, type UsageSum } from './ai-sdk-state.ts'
import { closeBlocks, closeCalls } from './close-open.ts'
import type { UiChunk, UiFinishReason } from './ui-chunk.ts'

type UiRunEnd = EventOf<'run.paused' | 'run.completed' | 'run.failed' | 'run.cancelled'>

/** A resumed run continues the message of its conversation. */
export function runStarted(state: AiSdkState, ev: EventOf<'run.started'>): AiSdkStep {
  const { exchange } = state
  if (ev.resumes_run_id !== undefined && exchange?.id === ev.conversation_id)
    return [{ ...state, exchange: { ...exchange, isOpen: true } }, []]
  const { held } = state.options
  const started: Exchange = {
    id: ev.conversation_id,
    isOpen: true,
    held: held?.id === ev.conversation_id ? held : undefined,
    model: ev.model,
    started_at: ev.ts,
    usage: NO_USAGE,
    cost_usd: 0,
    steps: 0,
    hasOpenStep: false,
    texts: 0,
    reasonings: 0,
    blocks: new Map(),
    calls: new Map(),
    agents: new Map(),
  }
  const messageMetadata = { runId: ev.run_id, sessionId: state.session_id }
  return [
    { ...state, exchange: started },
    [{ type: 'start', messageId: ev.conversation_id, messageMetadata }],
  ]
}

export function messageStarted(state: AiSdkState, exchange: Exchange): AiSdkStep {
  if (exchange.hasOpenStep) return resetStep(state, exchange)
  const steps = exchange.steps + 1
  const next = { ...exchange, steps, hasOpenStep: true, texts: 0, reasonings: 0 }
  const isHeld = steps <= (exchange.held?.steps.length ?? 0)
  return [{ ...state, exchange: next }, isHeld ? [] : [{ type: 'start-step' }]]
}

/**
 * The message was interrupted and is written again: version 7 empties the step. Steps before the last one that the page
 * has are complete there; that one is sent again.
 */
function resetStep(state: AiSdkState, exchange: Exchange): AiSdkStep {
  const { held, steps } = exchange
  const next = { ...exchange, texts: 0, reasonings: 0 }
  if (steps < (held?.steps.length ?? 0)) return [{ ...state, exchange: next }, []]
  const rest = held && { ...held, steps: held.steps.slice(0, steps - 1), calls: new Map() }
  return [{ ...state, exchange: { ...next, held: rest } }, [{ type: 'reset-step' }]]
}

/** The half message stays, closed. In version 7 its step stays open: a message that follows replaces it. */
export function messageAborted(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'message.aborted'>,
): AiSdkStep {
  const [blocks, closed] = closeBlocks(exchange)
  const [calls, failed] = closeCalls(exchange)
  const isReplaced = state.dialect === 7
  const next = { ...count(exchange, ev), blocks, calls, hasOpenStep: exchange.hasOpenStep && isReplaced }
  return [{ ...state, exchange: next }, [...closed, ...failed, ...(isReplaced ? [] : endOfStep(exchange))]]
}

export function turnCompleted(
  state: AiSdkState,
  exchange: Exchange,
  ev: EventOf<'turn.completed'>,
): AiSdkStep {
  const next = { ...count(exchange, ev), hasOpenStep: false, model: ev.model ?? exchange.model }
  return [{ ...state, exchange: next }, endOfStep(exchange)]
}

const endOfStep = (exchange: Exchange): readonly UiChunk[] =>
  exchange.hasOpenStep && exchange.steps >= (exchange.held?.steps.length ?? 0)
    ? [{ type: 'finish-step' }]
    : []

/** Everything that is open is closed first. */
export function runEnded(
  state: AiSdkState,
  exchange: Exchange,
  { seq, ev }: Rec & { ev: UiRunEnd },
): AiSdkStep {
  const [blocks, closed] = closeBlocks(exchange)
  const over = { ...exchange, isOpen: false, blocks, hasOpenStep: false }
  const before = [...closed, ...endOfStep(exchange)]
  const isAnswered = ev.type === 'run.paused' && seq <= (state.options.resumed_at ?? 0)
  return [{ ...state, exchange: over }, isAnswered ? before : [...before, toEnd(exchange, ev)]]
}

function toEnd(exchange: Exchange, ev: UiRunEnd): UiChunk {
  switch (ev.type) {
    case 'run.completed': {
      const usage = ev.usage_by_model.reduce<Usage | undefined>(
        (sum, row) => (sum ? sumUsage(sum, row.usage) : row.usage),
        undefined,
      )
      const messageMetadata = {
        usage: usage ? toUsage(usage) : exchange.usage,
        costUsd: ev.cost_usd ?? exchange.cost_usd,
        model: exchange.model,
        durationMs: ev.duration_ms,
      }
      return { type: 'finish', finishReason: FINISH[ev.finish], messageMetadata }
    }
    case 'run.paused': {
      const { usage, cost_usd, model, started_at } = exchange
      const durationMs = Math.max(0, Date.parse(ev.ts) - Date.parse(started_at)) || 0
      return {
        type: 'finish',
        finishReason: 'tool-calls',
        messageMetadata: { usage, costUsd: cost_usd, model, durationMs },
      }
    }
    case 'run.failed':
      return { type: 'error', errorText: ev.error.message }
    case 'run.cancelled':
      return { type: 'abort', reason: ev.reason }
  }
}

const FINISH: Readonly<Record<Finish, UiFinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  pause: 'other',
  error: 'error',
}

/** Adds the usage of a message, also of an interrupted one. */
function count(exchange: Exchange, ev: EventOf<'turn.completed' | 'message.aborted'>): Exchange {
  if (!ev.usage) return exchange
  return {
    ...exchange,
    usage: add(exchange.usage, toUsage(ev.usage)),
    cost_usd: exchange.cost_usd + (ev.cost_usd ?? 0),
  }
}

function toUsage(usage: Usage): UsageSum {
  const inputTokens = usage.input + usage.cache_read + usage.cache_write
  return {
    inputTokens,
    outputTokens: usage.output,
    totalTokens: inputTokens + usage.output,
    reasoningTokens: usage.reasoning,
    cachedInputTokens: usage.cache_read,
  }
}

const add = (a: UsageSum, b: UsageSum): UsageSum => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  totalTokens: a.totalTokens + b.totalTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
})
