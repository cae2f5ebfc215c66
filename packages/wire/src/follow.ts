/**
 * Which part of a session one answer carries, and when that answer is complete.
 * Pure; decided from the records alone, so a resumed stream ends where an uncut one does.
 */
import { type EventOf, endsRun, type PendingItem, type Rec } from '@toolwire/core'

export type Follow =
  /** The run that a message started. */
  | { readonly kind: 'run'; readonly run_id: string }
  /** The run that takes up an answer (tool output, approval, cancel) recorded at `seq`. */
  | { readonly kind: 'answer'; readonly seq: number }
  /** An exchange with all its pauses and resumptions; complete while paused. */
  | { readonly kind: 'conversation'; readonly conversation_id: string }
  /** Everything; complete when nothing runs and nothing is queued. */
  | { readonly kind: 'session' }

export interface Followed {
  /** Whether the record's frames belong to the answer. */
  readonly shown: boolean
  /** Whether the answer is complete after this record, unless more of the same is already in the log. */
  readonly last: boolean
}

/** One follower per connection, fed from the first record of the session. */
export function createFollower(follow: Follow): (rec: Rec) => Followed {
  switch (follow.kind) {
    case 'run':
      return rec => {
        const shown = rec.ev.run_id === follow.run_id
        return { shown, last: shown && isRootEnd(rec) }
      }
    case 'answer':
      return followAnswer(follow.seq)
    case 'conversation':
      return followConversation(follow.conversation_id)
    case 'session':
      return followSession()
  }
}

const isRootEnd = (rec: Rec): boolean => endsRun(rec.ev.type) && rec.ev.agent_run_id === undefined

/** A pause that still lists what was answered is not the end: the run that takes the answer up comes next. */
function followAnswer(seq: number): (rec: Rec) => Followed {
  const answers = followAnswers()
  return rec => {
    const shown = rec.seq >= seq
    const answered = answers(rec)
    return { shown, last: shown && isRootEnd(rec) && !answered }
  }
}

/** `id` is a conversation, or a run of it: a message's run is known before the conversation has a name. */
function followConversation(id: string): (rec: Rec) => Followed {
  const runs = new Set<string>([id])
  let conversation = id
  return rec => {
    const { ev } = rec
    if (ev.type === 'run.started' && ev.agent_run_id === undefined && ev.run_id !== undefined) {
      if (ev.run_id === id) conversation = ev.conversation_id
      if (ev.conversation_id === conversation) runs.add(ev.run_id)
    }
    const shown = ev.run_id !== undefined && runs.has(ev.run_id)
    return { shown, last: shown && isRootEnd(rec) }
  }
}

/** Everything, and whether nothing runs, nothing is queued and no answer waits to be taken up. */
function followSession(): (rec: Rec) => Followed {
  const open = new Set<string>()
  const answers = followAnswers()
  const background = followBackground(open)
  return rec => {
    const { ev } = rec
    background(rec)
    if (ev.agent_run_id === undefined && ev.run_id !== undefined) {
      if (ev.type === 'input.message' || ev.type === 'run.started') open.add(ev.run_id)
      if (isRootEnd(rec)) open.delete(ev.run_id)
    }
    const answered = answers(rec)
    return { shown: true, last: open.size === 0 && !answered }
  }
}

/**
 * Agents in the background work on when no run is open; one that waits for an answer does not. One
 * that has ended is done with when its end was told, or at once when it was stopped.
 */
function followBackground(open: Set<string>): (rec: Rec) => void {
  const known = new Set<string>()
  return ({ ev }) => {
    const id = ev.agent_run_id ?? ''
    switch (ev.type) {
      case 'input.message':
        open.delete(ev.notifies ?? '')
        break
      case 'agent.started':
        if (ev.background) open.add(id) && known.add(id)
        break
      case 'run.started':
        if (known.has(id)) open.add(id)
        break
      case 'run.paused':
      case 'run.cancelled':
        if (known.has(id)) open.delete(id)
        break
      default:
    }
  }
}

/**
 * Whether the latest pause waits for something that is answered already, so that a run will take it
 * up at once. The answer may stand before the pause: it came while the run was about to pause.
 */
function followAnswers(): (rec: Rec) => boolean {
  const answered = new Set<string>()
  const waiting = followPauses()
  let cancelled = false
  const isAnswered = (item: PendingItem): boolean => answered.has(item.id) || answered.has(item.call_id)
  const isTakenUp = (): boolean =>
    [...waiting.pauses.values()].some(items => items.length > 0 && (cancelled || items.some(isAnswered)))
  return ({ ev }) => {
    waiting.step(ev)
    switch (ev.type) {
      case 'input.tool_output':
        answered.add(ev.call_id)
        break
      case 'input.approval':
        answered.add(ev.approval_id)
        break
      case 'tool.completed':
      case 'tool.failed':
        answered.delete(ev.call_id)
        break
      case 'tool.approval_resolved':
        answered.delete(ev.approval_id)
        break
      case 'input.cancel':
        if (ev.call_id === undefined) cancelled = true
        else answered.add(ev.call_id)
        break
      case 'run.started':
        // A cancel that met nothing to cancel does not reach a later run.
        if (ev.agent_run_id === undefined && ev.resumes_run_id === undefined) cancelled = false
        break
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
        if (ev.agent_run_id === undefined) cancelled = false
        break
      default:
    }
    return isTakenUp()
  }
}

/** What waits, by the agent in the background that waits for it; '' for the session itself. */
function followPauses() {
  const pauses = new Map<string, EventOf<'run.paused'>['pending']>()
  const background = new Set([''])
  function step(ev: Rec['ev']): void {
    const id = ev.agent_run_id ?? ''
    switch (ev.type) {
      case 'agent.started':
        if (ev.background) background.add(id)
        break
      case 'run.paused':
        if (background.has(id)) pauses.set(id, ev.pending)
        break
      case 'agent.finished':
      case 'run.started':
        pauses.delete(id)
        break
      default:
    }
  }
  return { pauses, step }
}
