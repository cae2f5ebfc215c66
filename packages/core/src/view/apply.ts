/**
 * The fold from log to view. Pure: the same records give the same view, in any portions and
 * with any repetitions, because a record at or before the head changes nothing. One small
 * function per event family; a delta touches one row of one table.
 */
import type { EventOf, SessionEvent } from '../event.ts'
import { isDeeperThan } from '../nesting.ts'
import { applyAgent } from './apply-agent.ts'
import { applyCall, cancelCalls } from './apply-call.ts'
import { applyBlock, applyMessage } from './apply-message.ts'
import { applyRun, queueMessage } from './apply-run.ts'
import { addTo } from './fields.ts'
import type { SessionView } from './view.ts'

/** A record of the log; which ownership wrote it does not matter here. */
export interface ViewRecord {
  readonly seq: number
  readonly ev: SessionEvent
}

/** Levels of an event: whoever draws or stores the view walks through what it holds. */
const DEEPEST = 1000

/**
 * The view after one more record; the same view when the record was seen before. Of an event that cannot be read as its
 * type says or is nested too deeply, as of one whose type is not known, only the place in the log counts. Never throws.
 */
export function applyRecord(view: SessionView, rec: ViewRecord): SessionView {
  if (rec.seq <= view.head) return view
  const next = { ...view, head: rec.seq }
  try {
    return isDeeperThan(rec.ev, DEEPEST) ? next : applyEvent(next, rec.ev)
  } catch {
    return next
  }
}

/** Applies records in order. */
export const applyRecords = (view: SessionView, records: Iterable<ViewRecord>): SessionView => {
  let next = view
  for (const rec of records) next = applyRecord(next, rec)
  return next
}

function applyEvent(view: SessionView, ev: SessionEvent): SessionView {
  switch (ev.type) {
    case 'block.started':
    case 'block.delta':
    case 'block.completed':
      return applyBlock(view, ev)
    case 'tool.ready':
    case 'tool.approval_requested':
    case 'tool.approval_resolved':
    case 'tool.client_requested':
    case 'tool.queued':
    case 'tool.started':
    case 'tool.progress':
    case 'tool.completed':
    case 'tool.failed':
    case 'input.tool_output':
    case 'input.approval':
      return applyCall(view, ev)
    case 'turn.started':
    case 'message.started':
    case 'message.aborted':
    case 'turn.completed':
      return applyMessage(view, ev)
    case 'run.started':
    case 'run.paused':
    case 'run.resumed':
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return applyRun(view, ev)
    case 'input.message':
      return queueMessage(view, ev)
    case 'input.cancel':
      return view.phase === 'idle' && view.queue.length === 0 && view.active.length === 0
        ? view
        : cancelCalls(view, ev)
    case 'agent.started':
    case 'agent.finished':
      return applyAgent(view, ev)
    case 'note':
      return { ...view, notes: { ...view.notes, [ev.name]: ev.value } }
    case 'session.created':
    case 'session.updated':
    case 'session.bound':
      return { ...view, info: applyInfo(view.info, ev) }
    default:
      // A type that a newer server knows: the place in the log moves on, the picture stays.
      return view
  }
}

function applyInfo(
  info: SessionView['info'],
  ev: EventOf<'session.created' | 'session.updated' | 'session.bound'>,
): SessionView['info'] {
  switch (ev.type) {
    case 'session.created':
      return addTo<SessionView['info']>(
        {
          model: ev.model,
          permission_mode: ev.permission_mode,
          cwd: ev.cwd,
          tools: ev.tools,
          created_at: Date.parse(ev.ts),
        },
        { title: ev.title, forked_from: ev.forked_from },
      )
    case 'session.updated':
      return addTo(info, { title: ev.title, model: ev.model, permission_mode: ev.permission_mode })
    case 'session.bound':
      return { ...info, tools: ev.tools, provider_session_id: ev.provider_session_id }
  }
}
