/**
 * A model with a window: it rejects requests with more characters, summarizes on request, and otherwise counts its
 * steps by the last message. After a crash, or with another part of the history, it behaves the same.
 */
import type { HistoryMessage, Model, ModelPart, ModelRequest } from '@toolwire/core'

export interface WindowedOptions {
  /** Characters of messages that it reads. */
  readonly window: number
  /** Calls of `dig` before it ends its turn. */
  readonly steps?: number
  readonly context?: number
  /** What it does when asked for a summary. */
  readonly sums?: 'well' | 'badly' | 'mute' | 'twice'
}

export interface Windowed extends Model {
  readonly seen: ModelRequest[]
  readonly summaries: ModelRequest[]
}

const USAGE = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }

export const isSummary = ({ system }: ModelRequest): boolean => system?.includes('condense') ?? false

const tooLong = (size: number, window: number): ModelPart => ({
  type: 'error',
  error: {
    code: 'context_too_long',
    message: `prompt is too long: ${size} > ${window}`,
    retryable: false,
  },
})

export function windowedModel(options: WindowedOptions): Windowed {
  const seen: ModelRequest[] = []
  const summaries: ModelRequest[] = []
  return {
    provider: 'windowed',
    id: 'windowed',
    seen,
    summaries,
    ...(options.context === undefined ? {} : { context: options.context }),
    async *stream(request) {
      const size = JSON.stringify(request.messages).length
      if (size > options.window) {
        yield tooLong(size, options.window)
        return
      }
      if (isSummary(request)) {
        summaries.push(request)
        yield* sumUp(options.sums ?? 'well')
        return
      }
      seen.push(request)
      const done = stepOf(request.messages)
      yield* done < (options.steps ?? 0) ? calls(done) : says(`Done after ${done}.`)
    },
  }
}

/** Steps since the user's message, from the latest result. */
function stepOf(messages: readonly HistoryMessage[]): number {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return 0
  return Number(/step (\d+)/.exec(last.results.at(-1)?.output_text ?? '')?.[1] ?? -1) + 1
}

function* sumUp(how: NonNullable<WindowedOptions['sums']>): Generator<ModelPart> {
  const error = { code: 'model_unavailable', message: 'gone', retryable: true }
  if (how === 'twice') yield { type: 'retry', error, usage: USAGE, cost_usd: 0.5 }
  if (how === 'badly') yield { type: 'error', error, usage: USAGE, cost_usd: 0.5 }
  else yield* says(how === 'mute' ? '' : 'Notes of it all.')
}

function* says(text: string): Generator<ModelPart> {
  yield { type: 'start', provider_message_id: 'msg', model: 'windowed' }
  yield { type: 'block-start', index: 0, kind: 'text' }
  yield { type: 'block-delta', index: 0, text }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'stop', finish: 'stop', usage: USAGE, cost_usd: 0.5 }
}

function* calls(step: number): Generator<ModelPart> {
  yield { type: 'start', provider_message_id: 'msg', model: 'windowed' }
  yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: `toolu_${step}`, name: 'dig' } }
  yield { type: 'block-delta', index: 0, input_text: JSON.stringify({ step }) }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE, cost_usd: 0.5 }
}
