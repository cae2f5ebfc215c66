/**
 * The fold from log to view. Pure: the same records give the same view, in any portions and
 * with any repetitions, because a record at or before the head changes nothing. One small
 * reader per event type; a delta touches one row of one table.
 */

import type { EventType, SessionEvent } from '../event.ts'
import { isDeeperThan } from '../nesting.ts'
import { AGENT_READERS } from './apply-agent.ts'
import { BRANCH_READERS } from './apply-branch.ts'
import { CALL_READERS } from './apply-call.ts'
import { MESSAGE_READERS } from './apply-message.ts'
import { QUEUE_READERS } from './apply-queue.ts'
import { RUN_READERS } from './apply-run.ts'
import { SESSION_READERS } from './apply-session.ts'
import type { EventReader, EventReaders } from './event-shapes.ts'
import { fits, MAYBE_TEXT, type ShapeOf, TEXT } from './shape.ts'
import type { SessionView } from './view.ts'

/** A record of the log; which ownership wrote it does not matter here. */
export interface ViewRecord {
  readonly seq: number
  readonly ev: SessionEvent
}

/** One for every type that shows; the others are about the model's side alone. */
export const READERS: EventReaders<
  Exclude<
    EventType,
    'run.resumed' | 'history.compacted' | 'context.set' | 'context.changed' | 'skill.loaded' | 'hook.answered'
  >
> = {
  ...CALL_READERS,
  ...MESSAGE_READERS,
  ...QUEUE_READERS,
  ...RUN_READERS,
  ...AGENT_READERS,
  ...BRANCH_READERS,
  ...SESSION_READERS,
}
/** Fields read from every event. Events of a later version would be misread. */
export const EVERY: ShapeOf<SessionEvent> = {
  v: version => (version ?? 1) === 1,
  ts: TEXT,
  run_id: MAYBE_TEXT,
  agent_run_id: MAYBE_TEXT,
}

/** Maximum nesting of an event: code that draws or stores the view visits all levels. */
const DEEPEST = 1000

/**
 * The view after one more record; the same view when the record was seen before. Of an event that has not the shape of its
 * type or is nested too deeply, as of one whose type a newer server knows, only the place in the log counts. Never throws.
 */
export function applyRecord(view: SessionView, { seq, ev }: ViewRecord): SessionView {
  if (seq <= view.head) return view
  const next = { ...view, head: seq }
  if (!Object.hasOwn(READERS, ev.type) || isDeeperThan(ev, DEEPEST)) return next
  // The compiler cannot infer that a reader and its event have the same type.
  const [reads, apply] = READERS[ev.type as keyof typeof READERS] as EventReader<SessionEvent>
  return fits(ev, EVERY) && fits(ev, reads) ? apply(next, ev) : next
}

/** Applies records in order. */
export const applyRecords = (view: SessionView, records: Iterable<ViewRecord>): SessionView => {
  let next = view
  for (const rec of records) next = applyRecord(next, rec)
  return next
}
