/** Messages that wait: queued, changed, delivered to a run, withdrawn, held. */
import type { EventOf } from '../event.ts'
import { moveItem } from '../move-item.ts'
import { fileReport, isReportOfOther } from './apply-branch.ts'
import { changeTurn } from './change-turn.ts'
import { CONTENT, type EventReaders } from './event-shapes.ts'
import { addTo } from './fields.ts'
import { MAYBE_FLAG, MAYBE_NUMBER, MAYBE_TEXT, maybe, NUMBER, TEXT } from './shape.ts'
import type { MessageView, SessionView } from './view.ts'

/** A message waits until a run with its id starts, or a run delivers it. */
function queueMessage(view: SessionView, ev: EventOf<'input.message'>): SessionView {
  const message: MessageView = addTo<MessageView>(
    {
      id: ev.message_id,
      role: ev.role,
      state: 'queued',
      seq: view.head,
      content: ev.content,
      blocks: [],
      started_at: Date.parse(ev.ts),
    },
    { run_id: ev.run_id, model: ev.model, when_running: ev.when_running },
  )
  if (ev.agent_run_id !== undefined) return view
  if (isReportOfOther(view, ev)) return fileReport(view, ev.notifies, message)
  // Sent to the model during its run: part of the exchange at once.
  if (ev.if_paused === 'join' && view.phase === 'running') return joinTurn(view, message)
  if (!isMovable(message)) return { ...view, queue: [...view.queue, message] }
  const others = view.queue.some(one => one.is_held) ? view.queue.map(withoutHold) : view.queue
  const first = others.findIndex(one => one.when_running !== 'interrupt')
  const index = ev.when_running === 'interrupt' && first !== -1 ? first : others.length
  return { ...view, queue: others.toSpliced(index, 0, message) }
}

const isMovable = ({ role }: MessageView): boolean => role === 'user'

function withoutHold({ is_held: _, ...message }: MessageView): MessageView {
  return message
}

const joinTurn = (view: SessionView, message: MessageView): SessionView =>
  changeTurn(takeUp(view, message), turn => ({ ...turn, messages: [...turn.messages, message.id] }))

/** The message leaves the queue: a run starts with it, or has it delivered. */
export const takeUp = (view: SessionView, message: MessageView): SessionView => ({
  ...view,
  queue: view.queue.filter(queued => queued !== message),
  messages: view.messages.set(message.id, { ...withoutHold(message), state: 'complete' }),
})

/** The queue after a run that ended with these messages held. */
export const holdMessages = <V extends Pick<SessionView, 'queue'>>(
  view: V,
  ids: readonly string[] | undefined,
): V =>
  ids === undefined || ids.length === 0
    ? view
    : { ...view, queue: view.queue.map(one => (ids.includes(one.id) ? { ...one, is_held: true } : one)) }

function delivered(view: SessionView, ev: EventOf<'input.delivered'>): SessionView {
  const message = view.queue.find(one => one.id === ev.message_id)
  return message && view.phase === 'running' ? joinTurn(view, message) : view
}

function changed(view: SessionView, ev: EventOf<'input.changed'>): SessionView {
  const at = view.queue.findIndex(one => one.id === ev.message_id)
  const before = view.queue[at]
  if (!before) return view
  const { content, when_running, revision } = ev
  const isReleased = ev.held === false || when_running === 'steer'
  const message = addTo<MessageView>(isReleased ? withoutHold(before) : before, {
    content,
    when_running,
    revision,
  })
  return { ...view, queue: moveItem(view.queue.with(at, message), at, ev.place, isMovable) }
}

const withdrawn = (view: SessionView, { message_id }: EventOf<'input.withdrawn'>): SessionView =>
  view.queue.some(one => one.id === message_id)
    ? { ...view, queue: view.queue.filter(one => one.id !== message_id) }
    : view

export const QUEUE_READERS: EventReaders<
  'input.message' | 'input.delivered' | 'input.changed' | 'input.withdrawn'
> = {
  'input.message': [
    {
      message_id: TEXT,
      role: TEXT,
      content: CONTENT,
      model: MAYBE_TEXT,
      when_running: MAYBE_TEXT,
      notifies: MAYBE_TEXT,
    },
    queueMessage,
  ],
  'input.delivered': [{ message_id: TEXT }, delivered],
  'input.changed': [
    {
      message_id: TEXT,
      revision: NUMBER,
      content: maybe(CONTENT),
      when_running: MAYBE_TEXT,
      place: MAYBE_NUMBER,
      held: MAYBE_FLAG,
    },
    changed,
  ],
  'input.withdrawn': [{ message_id: TEXT }, withdrawn],
}
