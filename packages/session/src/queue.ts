/** Messages that wait: listed, changed, withdrawn, resumed. */
import {
  AppError,
  type ContentPart,
  type EventOf,
  type Facts,
  findQueued,
  type WaitingMessage,
} from '@toolwire/core'
import { checkSize } from './queue-rules.ts'
import type { Sessions } from './sessions.ts'

export interface QueueItem {
  readonly message_id: string
  /** The run that it starts, unless another one delivers it. */
  readonly run_id: string
  readonly position: number
  readonly content: readonly ContentPart[]
  readonly when_running: WaitingMessage['when_running']
  readonly revision: number
  /** `held`: for a next message, or for the queue to be resumed. */
  readonly waiting: 'running' | 'paused' | 'held'
}

type QueueKernel = Pick<Sessions, 'append' | 'facts' | 'reader' | 'stamp'>

export async function readQueue(sessions: QueueKernel, session: string): Promise<readonly QueueItem[]> {
  const facts = await sessions.facts(session)
  return await Promise.all(facts.waiting.map((_, index) => toItem(sessions, session, facts, index)))
}

async function toItem(
  { reader }: QueueKernel,
  session: string,
  facts: Facts,
  index: number,
): Promise<QueueItem> {
  const { message_id, run_id, contentAt, when_running, revision, isHeld } = facts.waiting[
    index
  ] as WaitingMessage
  const [rec] = await reader.read(session, contentAt - 1, 1)
  const content = rec && 'content' in rec.ev && Array.isArray(rec.ev.content) ? rec.ev.content : []
  const waiting = isHeld ? 'held' : facts.isPaused ? 'paused' : 'running'
  return { message_id, run_id, position: index + 1, content, when_running, revision, waiting }
}

export interface QueuePatch {
  readonly content?: readonly ContentPart[] | undefined
  readonly when_running?: 'queue' | 'steer' | undefined
  /** From 0. */
  readonly position?: number | undefined
  readonly if_revision?: number | undefined
}

/** Attempts at a change while others change the same message. */
const ATTEMPTS = 5

/**
 * Changes a message that waits. Returns it, or undefined if it was delivered with the change meanwhile. Throws
 * `message_not_found`, `already_delivered`, `conflict` for another revision, and `queue_full`.
 */
export async function changeQueued(
  sessions: QueueKernel,
  session: string,
  message_id: string,
  patch: QueuePatch,
): Promise<QueueItem | undefined> {
  const { content, if_revision } = patch
  for (let attempt = 1; ; attempt += 1) {
    const facts = await sessions.facts(session)
    const { revision: before, run_id } = findWaiting(facts, message_id)
    if (if_revision !== undefined && if_revision !== before)
      throw new AppError('conflict', 'The message was changed meanwhile.', { revision: before })
    if (content) checkSize(facts, content, message_id)
    const revision = before + 1
    const event = { ...toChange(patch), ...sessions.stamp(), run_id, message_id, revision }
    const write = {
      session,
      events: [event],
      key: `queue:${message_id}:${revision}`,
      state: 'running',
    } as const
    const { items } = await sessions.append({ writes: [write], wakes: true, compare: () => undefined })
    if (items[0]?.isFirst) return await findChanged(sessions, session, message_id, revision)
    if (attempt === ATTEMPTS) throw new AppError('conflict', 'The message is changed by others all the time.')
  }
}

const toChange = ({
  content,
  when_running,
  position: place,
}: QueuePatch): Omit<EventOf<'input.changed'>, 'ts' | 'message_id' | 'revision'> => ({
  type: 'input.changed',
  ...(content === undefined ? {} : { content: [...content] }),
  ...(when_running === undefined ? {} : { when_running }),
  ...(place === undefined ? {} : { place }),
})

/** The message may have left the queue between the check and the write: the log has the order. */
async function findChanged(
  sessions: QueueKernel,
  session: string,
  message_id: string,
  revision: number,
): Promise<QueueItem | undefined> {
  const facts = await sessions.facts(session)
  const index = facts.waiting.findIndex(one => one.message_id === message_id)
  if (index !== -1) return await toItem(sessions, session, facts, index)
  const settled = facts.settled.find(one => one.message_id === message_id)
  if (settled?.run_id !== undefined && settled.revision >= revision) return undefined
  findWaiting(facts, message_id)
  return undefined
}

/** Withdraws a message that waits. Repeating it changes nothing. Throws `message_not_found` and `already_delivered`. */
export async function withdrawQueued(
  sessions: QueueKernel,
  session: string,
  message_id: string,
  by: string,
): Promise<void> {
  const found = findQueued(await sessions.facts(session), message_id)
  if (found && !('contentAt' in found) && found.run_id === undefined) return
  const { run_id } = findWaiting(await sessions.facts(session), message_id)
  const event = { type: 'input.withdrawn', ...sessions.stamp(), run_id, message_id, by } as const
  const write = { session, events: [event], key: `withdraw:${message_id}`, state: 'running' } as const
  await sessions.append({ writes: [write], wakes: true, compare: () => undefined })
  const settled = (await sessions.facts(session)).settled.find(one => one.message_id === message_id)
  if (settled?.run_id !== undefined) throw toDelivered(settled.run_id)
}

/** Lets held messages start runs again. Returns their ids. */
export async function resumeQueue(sessions: QueueKernel, session: string): Promise<readonly string[]> {
  const held = (await sessions.facts(session)).waiting.filter(one => one.isHeld)
  const stamp = sessions.stamp()
  const events = held.map(({ message_id, run_id, revision }) => ({
    type: 'input.changed' as const,
    ...stamp,
    run_id,
    message_id,
    revision: revision + 1,
    held: false as const,
  }))
  if (events.length > 0)
    await sessions.append({ writes: [{ session, events, state: 'running' }], wakes: true })
  return held.map(one => one.message_id)
}

function findWaiting(facts: Facts, message_id: string): WaitingMessage {
  const found = findQueued(facts, message_id)
  if (found && 'contentAt' in found) return found
  throw found?.run_id === undefined ? new AppError('message_not_found') : toDelivered(found.run_id)
}

const toDelivered = (run_id: string): AppError => new AppError('already_delivered', undefined, { run_id })
