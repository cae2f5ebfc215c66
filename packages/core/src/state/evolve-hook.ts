/** Answers of hooks: remembered while their run lasts, so that no hook is asked about the same thing again. */
import type { EventOf } from '../event.ts'
import type { AgentState } from './state.ts'
import { toNotice } from './to-notice.ts'

export function withHookAnswer(
  state: AgentState,
  ev: EventOf<'hook.answered'>,
  seq: number,
): Partial<AgentState> {
  const { run, queue } = state
  const { hook, event, sha256, effect, text } = ev
  const answer = { hook, event, sha256, effect }
  const notice = text === undefined ? undefined : toNotice({ ts: ev.ts, text }, seq)
  // Delivered: the model is asked again, although the run had come to its end.
  const continues = effect.decision === 'continue' ? ({ delivered: true } as const) : {}
  return {
    ...(run ? { run: { ...run, hooks: [...(run.hooks ?? []), answer] } } : {}),
    ...(notice ? { queue: [...queue, { ...notice, ...continues }] } : {}),
  }
}
