/** One log line for every turn in the life of a run, with session and seq: where to look in the session's log. */
import type { SessionEvent } from '@toolwire/core'
import type { Logger } from '../context.ts'
import type { StoreObserver } from './observe-store.ts'

/** Holds no word of a conversation: ids, codes and figures alone. */
export function observeToLogger(logger: Logger): StoreObserver {
  return (write, answer) => {
    if (!('head' in answer)) return
    const first = answer.head - write.events.length + 1
    for (const [i, event] of write.events.entries()) {
      const more = describe(event)
      if (!more) continue
      const fields = { session: write.session, seq: first + i, run: event.run_id, ...more }
      if (event.type === 'run.failed') logger.error(fields, event.type)
      else logger.info(fields, event.type)
    }
  }
}

function describe(event: SessionEvent): Readonly<Record<string, unknown>> | undefined {
  switch (event.type) {
    case 'run.started':
      return { model: event.model, trigger: event.trigger }
    case 'run.paused':
      return { reason: event.reason, pending: event.pending.length }
    case 'run.completed':
      return { ms: event.duration_ms, turns: event.num_turns, cost_usd: event.cost_usd }
    case 'run.failed':
      return { code: event.error.code, ms: event.duration_ms, turns: event.num_turns }
    case 'run.cancelled':
      return { ms: event.duration_ms, turns: event.num_turns }
    case 'tool.failed':
      return { call: event.call_id, layer: event.error.layer, code: event.error.code }
    default:
      return undefined
  }
}
