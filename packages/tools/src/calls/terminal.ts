/** The event that ends a call: there is exactly one. */
import type { EventOf, ToolOutcome } from '@toolwire/core'
import type { CallFailure } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'

export type Terminal = EventOf<'tool.completed' | 'tool.failed'>

export function toCompleted(
  work: Pick<CallWork, 'call' | 'voice'>,
  outcome: ToolOutcome,
  duration_ms: number,
): EventOf<'tool.completed'> {
  return {
    type: 'tool.completed',
    ...work.voice.stamp(),
    call_id: work.call.call_id,
    content: [...(outcome.content ?? [])],
    output_text: outcome.output_text,
    is_error: outcome.is_error ?? false,
    ...errorOf(outcome),
    ...(outcome.structured === undefined ? {} : { structured: outcome.structured }),
    ...(outcome.view === undefined ? {} : { view: outcome.view }),
    ...(outcome.outside === undefined ? {} : { outside: outcome.outside }),
    duration_ms,
  }
}

/** A result that is an error has a code when its tool names one; its text is its message. */
function errorOf({ is_error, code, output_text }: ToolOutcome): Pick<EventOf<'tool.completed'>, 'error'> {
  if (!is_error || code === undefined) return {}
  const [message = ''] = output_text.split('\n', 1)
  return { error: { code, layer: 'execution', message: message.slice(0, MAX_MESSAGE), retryable: false } }
}

const MAX_MESSAGE = 500

export function toFailed(
  work: Pick<CallWork, 'call' | 'voice'>,
  failed: CallFailure,
  duration_ms = 0,
): EventOf<'tool.failed'> {
  return { type: 'tool.failed', ...work.voice.stamp(), call_id: work.call.call_id, ...failed, duration_ms }
}
