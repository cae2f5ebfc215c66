/** Messages that wait: queued, changed, delivered to a run, withdrawn, held after a run that failed or was cancelled. */
import type { EventOf, Rec } from '../event.ts'
import { moveItem } from '../move-item.ts'
import { isJoined } from './flush-calls.ts'
import type { AgentState, QueuedMessage } from './state.ts'

/** A message of a user that waits for a run: no notice of the server and no part of an answer. */
export const isUserMessage = ({
  role,
  if_paused,
}: Pick<EventOf<'input.message'>, 'role' | 'if_paused'>): boolean => role === 'user' && if_paused !== 'join'

/** A message of a user that no model has received. */
export const isWaitingMessage = ({ event, delivered }: QueuedMessage): boolean =>
  isUserMessage(event) && !delivered

/** A message that can start a run now. */
export const isStartable = (queued: QueuedMessage): boolean => !queued.held

export function enqueue(
  state: AgentState,
  seq: number,
  event: EventOf<'input.message'>,
): Partial<AgentState> {
  if (!isUserMessage(event)) return { queue: [...state.queue, { seq, event }] }
  const isIdle = state.phase === 'idle' && !state.queue.some(isStartable)
  const queued: QueuedMessage = { seq, event, ...(isIdle ? {} : { waited: true }) }
  const others = state.queue.some(one => one.held) ? state.queue.map(release) : state.queue
  return { queue: others.toSpliced(indexOf(others, event), 0, queued) }
}

/** An interrupting message comes before all that wait, but behind earlier ones of its sort. */
function indexOf(queue: readonly QueuedMessage[], { when_running }: EventOf<'input.message'>): number {
  if (when_running !== 'interrupt') return queue.length
  const at = queue.findIndex(one => !isJoined(one) && one.event.when_running !== 'interrupt')
  return at === -1 ? queue.length : at
}

const release = (queued: QueuedMessage): QueuedMessage => {
  if (!queued.held) return queued
  const { held: _, ...rest } = queued
  return rest
}

type QueueEvent = EventOf<'input.delivered' | 'input.changed' | 'input.withdrawn'>

/** Changes nothing for a message that waits no longer: its first end applies. */
export function evolveQueue(state: AgentState, ev: QueueEvent): Partial<AgentState> {
  const at = state.queue.findIndex(one => one.event.message_id === ev.message_id && !isJoined(one))
  const queued = state.queue[at]
  if (!queued) return {}
  switch (ev.type) {
    case 'input.delivered':
      if (state.phase !== 'running') return {}
      return { queue: state.queue.with(at, { ...queued, delivered: true }) }
    case 'input.changed':
      return { queue: moveItem(state.queue.with(at, change(queued, ev)), at, ev.place, isWaitingMessage) }
    case 'input.withdrawn': {
      const { run_id } = queued.event
      return {
        queue: state.queue.toSpliced(at, 1),
        ...(run_id === undefined ? {} : { withdrawn_runs: [...(state.withdrawn_runs ?? []), run_id] }),
      }
    }
  }
}

function change(queued: QueuedMessage, ev: EventOf<'input.changed'>): QueuedMessage {
  const { content, when_running, held, revision } = ev
  const changed = {
    ...queued,
    revision,
    event: {
      ...queued.event,
      ...(content === undefined ? {} : { content }),
      ...(when_running === undefined ? {} : { when_running }),
    },
  }
  return held === false || when_running === 'steer' ? release(changed) : changed
}

/** The queue after a run that ended with these messages held. */
export function holdQueue(
  queue: readonly QueuedMessage[],
  ids: readonly string[] | undefined,
): readonly QueuedMessage[] {
  if (!ids || ids.length === 0) return queue
  return queue.map(one => (ids.includes(one.event.message_id) ? { ...one, held: true } : one))
}

/** A cancel in place of the run whose message was withdrawn while the run started. */
export function cancelWithdrawn(state: AgentState, { ev }: Rec): Partial<AgentState> {
  if (ev.type !== 'run.started' || ev.resumes_run_id !== undefined || !state.withdrawn_runs) return {}
  const isWithdrawn = ev.run_id !== undefined && state.withdrawn_runs.includes(ev.run_id)
  return {
    withdrawn_runs: undefined,
    ...(isWithdrawn
      ? { cancel: { type: 'input.cancel', ts: ev.ts, reason: 'the message was withdrawn', by: 'system' } }
      : {}),
  }
}
