/** Decides which records belong to one response and which record completes it. Pure. */
import { type EventOf, endsRun, type Rec, type SessionEvent } from '../event.ts'
import { advance } from './advance.ts'
import { type Facts, isBusy, isResuming, NO_FACTS } from './facts.ts'

export type Follow =
  /** The run that a message started, or the rest of the run that it was delivered to. */
  | { readonly kind: 'run'; readonly run_id: string }
  /** The run that resumes with an answer (tool output, approval, cancel) recorded at `seq`. */
  | { readonly kind: 'answer'; readonly seq: number }
  /** A message with all its pauses and resumptions; complete while paused. */
  | { readonly kind: 'conversation'; readonly conversation_id: string }
  /** Everything; complete while the session is not busy. */
  | { readonly kind: 'session' }

export interface Selection {
  /** The record's frames belong to the response. */
  readonly shown: boolean
  /** The response is complete after this record, unless more of it is already in the log. */
  readonly last: boolean
}

/** One per reader. Fed with every record after `from`, the facts at the position where it starts reading. */
export function createSelector(follow: Follow, from: Facts = NO_FACTS): (rec: Rec) => Selection {
  switch (follow.kind) {
    case 'run':
      return selectRun(follow.run_id)
    case 'answer':
      return selectAnswer(follow.seq, from)
    case 'conversation':
      return selectConversation(follow.conversation_id)
    case 'session':
      return selectSession(from)
  }
}

/**
 * `id` is the run id of the message. It ends with the message when that is withdrawn, and with the run that leaves it
 * in the queue.
 */
function selectRun(id: string): (rec: Rec) => Selection {
  let run = id
  const message = createMessageWatch(id)
  return rec => {
    const change = message(rec.ev)
    if (change === 'held') return { shown: true, last: true }
    if (change) run = change.run_id
    const shown = rec.ev.run_id === run
    return { shown, last: shown && isLast(rec) }
  }
}

/** Reports the run that the message with this run id is delivered to, or the end of a run that keeps it in the queue. */
function createMessageWatch(
  id: string,
): (ev: SessionEvent) => { readonly run_id: string } | 'held' | undefined {
  let message: string | undefined
  return ev => {
    if (ev.type === 'input.message' && ev.run_id === id) message ??= ev.message_id
    if (message === undefined) return undefined
    if (ev.type === 'input.delivered' && ev.message_id === message) return { run_id: ev.run_id }
    return 'queue_held' in ev && ev.queue_held?.includes(message) ? 'held' : undefined
  }
}

/** A message that is withdrawn has no run. */
const isLast = (rec: Rec): boolean => isRootEnd(rec) || rec.ev.type === 'input.withdrawn'

const isRootEnd = (rec: Rec): boolean => endsRun(rec.ev.type) && rec.ev.agent_run_id === undefined

/** A pause that waits for something already answered is not the end: the run that resumes it comes next. */
function selectAnswer(seq: number, from: Facts): (rec: Rec) => Selection {
  let facts = from
  return rec => {
    facts = advance(facts, rec)
    const shown = rec.seq >= seq
    return { shown, last: shown && isRootEnd(rec) && !isResuming(facts) }
  }
}

/**
 * `id` is a conversation, or a run of it: a message's run is known before its conversation has a name. An answer to its
 * pause belongs to it: the run that resumes it comes next.
 */
function selectConversation(id: string): (rec: Rec) => Selection {
  const runs = new Set<string>([id])
  let conversation = id
  let waits: ReadonlySet<string> = new Set()
  const message = createMessageWatch(id)
  const start = (ev: EventOf<'run.started'>): void => {
    if (ev.run_id === undefined || ev.agent_run_id !== undefined) return
    if (ev.run_id === id) conversation = ev.conversation_id
    if (ev.conversation_id === conversation) runs.add(ev.run_id)
    waits = new Set()
  }
  return rec => {
    const { ev } = rec
    if (ev.type === 'run.started') start(ev)
    const change = message(ev)
    if (change === 'held') return { shown: true, last: true }
    if (change) runs.add(change.run_id)
    const shown = rec.ev.run_id !== undefined && runs.has(rec.ev.run_id)
    if (shown) waits = pausedItems(rec) ?? waits
    else if (answers(rec, waits)) return { shown: true, last: false }
    return { shown, last: shown && isLast(rec) }
  }
}

/** The items that a pause of the session itself waits for; undefined for other records. */
const pausedItems = ({ ev }: Rec): ReadonlySet<string> | undefined =>
  ev.type === 'run.paused' && ev.agent_run_id === undefined
    ? new Set(ev.pending.flatMap(item => [item.id, item.call_id]))
    : undefined

/** True for an answer to one of these items, and for a cancel while there are any. */
function answers({ ev }: Rec, items: ReadonlySet<string>): boolean {
  switch (ev.type) {
    case 'input.tool_output':
      return items.has(ev.call_id)
    case 'input.approval':
      return items.has(ev.approval_id)
    case 'input.cancel':
      return items.size > 0 && ev.call_id === undefined
    default:
      return false
  }
}

function selectSession(from: Facts): (rec: Rec) => Selection {
  let facts = from
  return rec => {
    facts = advance(facts, rec)
    return { shown: true, last: !isBusy(facts) }
  }
}
