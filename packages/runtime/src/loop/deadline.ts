/**
 * Time limit of a run. It ends as a specific failure, never as a cancel, so the reason travels with the signal.
 */
import type { SessionState } from '@toolwire/core'

/** Abort reason of a signal: the run's time is up. */
class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/** True if the run was stopped because its time was up. */
export const isOverdue = (signal: AbortSignal): boolean => signal.reason instanceof DeadlineError

export interface DeadlineWatch {
  /** Aborted when the time of the session's run is up; undefined when it has no limit. One timer per run. */
  readonly signal: () => AbortSignal | undefined
}

/** `now` is the clock by which runs are stamped. Its timer does not keep the process alive. */
export function watchDeadline(session: () => SessionState, now: () => Date): DeadlineWatch {
  let watched: { readonly run_id: string; readonly signal: AbortSignal } | undefined
  return {
    signal() {
      const { run } = session()
      if (run?.max_duration_ms === undefined) return undefined
      if (watched?.run_id === run.run_id) return watched.signal
      const left = Date.parse(run.started_at) + run.max_duration_ms - now().getTime()
      const { signal } = startTimer(Math.min(Math.max(0, left), LONGEST_TIMER))
      watched = { run_id: run.run_id, signal }
      return signal
    },
  }
}

/** The maximum delay of a timer, 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1

function startTimer(ms: number): AbortController {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DeadlineError('The run used up its time.')), ms).unref()
  return controller
}
