/** Finds the position from which a follower reads: as late as the wire's memory and the target allow. */
import {
  type ConversationStart,
  createSelector,
  type Facts,
  type FactsAt,
  isBusy,
  NO_FACTS,
  type Rec,
  type Selection,
  type Seq,
  startAt,
} from '@toolwire/core'
import type { Stepper } from '@toolwire/wire'
import type { FactsCache } from './facts-cache.ts'
import type { FollowPlan } from './follow-plan.ts'

export interface StartPosition {
  /** The first record to read comes after it. */
  readonly after: Seq
  readonly step: Stepper
  readonly select: (rec: Rec) => Selection
  /** The log holds records of the target, which may lie before this position. */
  readonly isKnown: boolean
}

export async function findStart(facts: FactsCache, plan: FollowPlan): Promise<StartPosition> {
  const { session, wire, target, isOpenEnded } = plan
  const context = { session_id: session }
  const needsEnd = target.kind === 'session' && !isOpenEnded
  const known = needsEnd || canStartLater(plan) ? await facts.get(session) : undefined
  const start = known && findConversation(plan, known)
  if (start && wire.openAt)
    return {
      after: start.seq - 1,
      step: wire.openAt(context, start),
      select: toSelect(plan, known, { ...NO_FACTS, ...start.before }),
      isKnown: target.kind === 'session' || (target.kind === 'run' && start.run_id === target.run_id),
    }
  return {
    after: firstPosition(plan),
    step: wire.open(context),
    select: toSelect(plan, known, NO_FACTS),
    isKnown: target.kind === 'session',
  }
}

const canStartLater = ({ wire, target: { kind }, after, cursor }: FollowPlan): boolean =>
  wire.openAt !== undefined &&
  (after !== undefined || kind === 'conversation' || kind === 'run' || cursor.seq > 0)

function findConversation(
  { target, after, cursor }: FollowPlan,
  { facts, seq }: FactsAt,
): ConversationStart | undefined {
  const { starts } = facts
  if (target.kind === 'conversation') {
    const id = target.conversation_id
    return starts.find(start => start.conversation_id === id || start.run_id === id)
  }
  if (target.kind === 'run') {
    const { run_id } = target
    const own = starts.find(start => start.run_id === run_id)
    if (own) return own
    // Nothing but a queued message is open: its run starts a conversation after this position.
    if (facts.open.length === 1 && Object.hasOwn(facts.queued, run_id) && !facts.isPaused)
      return startAt(facts, seq + 1, { conversation_id: '', run_id })
  }
  // The reader has the frames before its cursor; the record at the cursor may have more.
  const limit = after === undefined ? (target.kind === 'session' ? cursor.seq : 0) : after + 1
  return starts.findLast(start => start.seq <= limit)
}

function firstPosition({ wire, target: { kind }, after = 0, cursor }: FollowPlan): Seq {
  if (wire.memory === 'none' && (kind === 'session' || kind === 'run')) return Math.max(after, cursor.seq - 1)
  return wire.memory !== undefined && (kind === 'run' || kind === 'answer') ? after : 0
}

const ALL: Selection = { shown: true, last: false }

/** A session is complete at the end of its log alone, so facts of now serve for every position before it. */
function toSelect(plan: FollowPlan, known: FactsAt | undefined, from: Facts): StartPosition['select'] {
  if (plan.target.kind !== 'session') return createSelector(plan.target, from)
  if (plan.isOpenEnded || !known) return () => ALL
  const { facts, seq } = known
  const later = createSelector(plan.target, facts)
  return rec => (rec.seq > seq ? later(rec) : { shown: true, last: rec.seq === seq && !isBusy(facts) })
}
