/** Cancels as inputs: of a session's run, or of one call. */
import { AppError, type EventOf, findCall, isBusy } from '@toolwire/core'
import type { Draft } from './append.ts'
import type { Sessions, Stamp } from './sessions.ts'

/** Cancels what the session does or waits for. Returns false if there was nothing to cancel; then nothing is recorded. */
export async function cancelSession(sessions: Sessions, session: string, reason: string): Promise<boolean> {
  return (await cancelWithQueue(sessions, session, { reason, drops: false })).cancelled
}

interface CancelResult {
  readonly cancelled: boolean
  /** Ids of messages that wait for a next message, or for the queue to be resumed. */
  readonly still_queued: readonly string[]
  /** Ids of messages that left the queue. */
  readonly dropped: readonly string[]
}

/** As `cancelSession`; `drops` withdraws the messages that wait, in the same write. */
export async function cancelWithQueue(
  sessions: Sessions,
  session: string,
  { reason, drops }: { readonly reason: string; readonly drops: boolean },
): Promise<CancelResult> {
  const facts = await sessions.facts(session)
  const stamp = sessions.stamp()
  const cancelled = isBusy(facts) || facts.isPaused
  const withdrawn = (drops ? facts.waiting : []).map(
    ({ message_id, run_id }): EventOf<'input.withdrawn'> => ({
      type: 'input.withdrawn',
      ...stamp,
      run_id,
      message_id,
      by: 'client',
    }),
  )
  const draft = draftCancel(session, reason, stamp)
  // The messages leave first: a cancel of an idle session with an empty queue has no effect on later runs.
  const writes = draft.writes.map(one => ({
    ...one,
    events: [...withdrawn, ...(cancelled ? one.events : [])],
  }))
  if (cancelled || withdrawn.length > 0) await sessions.append({ ...draft, writes })
  const ids = facts.waiting.map(one => one.message_id)
  return { cancelled, still_queued: drops ? [] : ids, dropped: drops ? ids : [] }
}

/**
 * Cancels one call, and the background agent that it started. Returns false if it had ended; then nothing is recorded.
 * Throws `call_not_found`.
 */
export async function cancelCall(
  sessions: Sessions,
  session: string,
  call_id: string,
  reason: string,
): Promise<boolean> {
  const call = await sessions.find(session, facts => findCall(facts, call_id))
  if (!call) throw new AppError('call_not_found')
  const agent = (await sessions.facts(session)).launched[call_id]
  if (call.isEnded && agent === undefined) return false
  const agent_run_id = call.isEnded ? agent : call.agent_run_id
  const more = {
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
    ...(call.isEnded ? {} : { call_id }),
  }
  const draft = draftCancel(session, reason, { ...sessions.stamp(), ...more })
  const key = `cancel:${call.message_id}:${call_id}`
  await sessions.append({ ...draft, writes: draft.writes.map(write => ({ ...write, key })) })
  return true
}

export function draftCancel(
  session: string,
  reason: string,
  stamp: Stamp & Pick<EventOf<'input.cancel'>, 'agent_run_id' | 'call_id'>,
): Draft {
  const event = { type: 'input.cancel', ...stamp, reason, by: 'client' } as const
  return { writes: [{ session, events: [event], state: 'running' }], wakes: true }
}
