/** Decides which records belong to one response and which record completes it. Pure. */
import { type EventOf, endsRun, type Rec } from '../event.ts'
import { advance } from './advance.ts'
import { type Facts, isBusy, isResuming, NO_FACTS } from './facts.ts'

export type Follow =
  /** The run that a message started. */
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
      return rec => {
        const shown = rec.ev.run_id === follow.run_id
        return { shown, last: shown && isRootEnd(rec) }
      }
    case 'answer':
      return selectAnswer(follow.seq, from)
    case 'conversation':
      return selectConversation(follow.conversation_id)
    case 'session':
      return selectSession(from)
  }
}

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
  const start = (ev: EventOf<'run.started'>): void => {
    if (ev.run_id === undefined || ev.agent_run_id !== undefined) return
    if (ev.run_id === id) conversation = ev.conversation_id
    if (ev.conversation_id === conversation) runs.add(ev.run_id)
    waits = new Set()
  }
  return rec => {
    if (rec.ev.type === 'run.started') start(rec.ev)
    const shown = rec.ev.run_id !== undefined && runs.has(rec.ev.run_id)
    if (shown) waits = pausedItems(rec) ?? waits
    else if (answers(rec, waits)) return { shown: true, last: false }
    return { shown, last: shown && isRootEnd(rec) }
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
