/** Rules for messages that meet a session which is not idle. Pure. */
import { AppError, type ContentPart, contentSize, type EventOf, type Facts, isBusy } from '@toolwire/core'
import type { MessageGuard } from '@toolwire/wire'

/** Messages of one session that may wait. */
const MAX_WAITING = 100
/** Characters of all of them. */
const MAX_SIZE = 4 * 1024 * 1024

type NewMessage = Pick<EventOf<'input.message'>, 'content' | 'when_running' | 'if_paused' | 'message_id'>

const isIdle = (facts: Facts): boolean => !isBusy(facts) && !facts.isPaused

/** Throws `session_running`, `run_changed` or `queue_full`. */
export function checkQueue(
  facts: Facts,
  { content }: NewMessage,
  { needsIdle, expected_run_id }: MessageGuard,
): void {
  if (needsIdle && !isIdle(facts)) throw new AppError('session_running')
  if (expected_run_id !== undefined && facts.run_id !== expected_run_id)
    throw new AppError('run_changed', undefined, { run_id: facts.run_id ?? null })
  if (isIdle(facts) && facts.waiting.length === 0) return
  if (facts.waiting.length >= MAX_WAITING)
    throw new AppError('queue_full', `At most ${MAX_WAITING} messages wait in a session.`)
  checkSize(facts, content)
}

/** Throws `queue_full` if `content` does not fit beside the other messages that wait. */
export function checkSize({ waiting }: Facts, content: readonly ContentPart[], changed?: string): void {
  const others = waiting.filter(one => one.message_id !== changed)
  const size = others.reduce((sum, one) => sum + one.size, contentSize(content))
  if (others.length > 0 && size > MAX_SIZE)
    throw new AppError('queue_full', `Messages that wait in a session have at most ${MAX_SIZE} characters.`)
}

/** The cancel of the run that the message interrupts, for the same write. */
export function interruptOf(
  facts: Facts,
  { when_running, message_id, ts, run_id }: EventOf<'input.message'>,
): readonly EventOf<'input.cancel'>[] {
  if (when_running !== 'interrupt' || facts.run_id === undefined) return []
  const stamp = { ts, ...(run_id === undefined ? {} : { run_id }) }
  return [{ type: 'input.cancel', ...stamp, reason: 'interrupted', by: 'client', by_message: message_id }]
}

interface Delivery {
  readonly delivery: 'started' | 'queued' | 'steering' | 'interrupting'
  readonly position: number
}

/** Reports the handling of a message, by the facts before it, or by those with it when it was sent before. */
export function deliveryOf(facts: Facts, message: NewMessage): Delivery {
  const at = facts.waiting.findIndex(one => one.message_id === message.message_id)
  const isSettled = facts.settled.some(one => one.message_id === message.message_id)
  const ends = facts.isPaused && message.if_paused === 'supersede' && message.when_running !== 'interrupt'
  if (isSettled || (isIdle(facts) && at === -1) || ends) return { delivery: 'started', position: 0 }
  const position = at === -1 ? facts.waiting.length + 1 : at + 1
  if (facts.run_id === undefined) return { delivery: 'queued', position }
  if (message.when_running === 'interrupt')
    return { delivery: 'interrupting', position: at === -1 ? 1 : position }
  return { delivery: message.when_running === 'steer' ? 'steering' : 'queued', position }
}
