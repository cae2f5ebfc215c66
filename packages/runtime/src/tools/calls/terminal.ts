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
    ...(outcome.structured === undefined ? {} : { structured: outcome.structured }),
    ...(outcome.view === undefined ? {} : { view: outcome.view }),
    duration_ms,
  }
}

export function toFailed(
  work: Pick<CallWork, 'call' | 'voice'>,
  failed: CallFailure,
  duration_ms = 0,
): EventOf<'tool.failed'> {
  return { type: 'tool.failed', ...work.voice.stamp(), call_id: work.call.call_id, ...failed, duration_ms }
}
