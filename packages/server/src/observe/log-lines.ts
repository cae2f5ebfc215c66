/** One log line for every turn in the life of a run, with session and seq: where to look in the session's log. */
import type { Append, SessionEvent } from '@toolwire/core'
import { RecentMap } from '@toolwire/core'
import { currentTrail, type RequestTrace } from '../access/principal.ts'
import type { Logger } from '../context.ts'
import type { StoreObserver } from './observe-store.ts'

type RequestIds = Pick<RequestTrace, 'request_id' | 'trace_id'>

/** Running runs whose request is remembered. */
const KEEP = 20_000
/** A pause holds nothing: its answer comes with a separate request. */
const ENDS: ReadonlySet<SessionEvent['type']> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
])

/**
 * Contains no conversation text: only ids, codes and numbers. `request_id` and `trace_id` are those of the request
 * that started the run, if this process received it.
 */
export function observeToLogger(logger: Logger): StoreObserver {
  const begun = new RecentMap<string, RequestIds>(KEEP)

  /** Requests' writes start runs; the runner, which another request may have woken, writes as owner. */
  function note({ as, session, events }: Append): void {
    const trail = as === undefined ? currentTrail() : undefined
    if (!trail) return
    const { request_id, trace_id } = trail
    for (const { run_id } of events)
      if (run_id !== undefined)
        begun.set(`${session}:${run_id}`, { request_id, ...(trace_id === undefined ? {} : { trace_id }) })
  }
  return (write, answer) => {
    if (!('head' in answer)) return
    note(write)
    const first = answer.head - write.events.length + 1
    write.events.forEach((event, i) => {
      const more = describe(event)
      if (!more) return
      const name = `${write.session}:${event.run_id}`
      const from = ENDS.has(event.type) ? begun.take(name) : begun.get(name)
      const fields = { session: write.session, seq: first + i, run: event.run_id, ...from, ...more }
      if (event.type === 'run.failed') logger.error(fields, event.type)
      else logger.info(fields, event.type)
    })
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
