/** Checks that the three folds of a log (facts, state with `next`, view) agree on every prefix of it. */
import {
  type AgentState,
  evolve,
  initial,
  isWaiting,
  next,
  type Rec,
  type SessionState,
} from '@toolwire/core'
import { applyRecord, emptyView } from '@toolwire/core/view'
import { expect } from 'vitest'
import { advance, isBusy, NO_FACTS, pendingOf } from '../../src/facts/index.ts'

export function checkAgreement(records: readonly Rec[]): void {
  let facts = NO_FACTS
  let state = initial()
  let view = emptyView()
  for (const rec of records) {
    facts = advance(facts, rec)
    state = evolve(state, rec)
    view = applyRecord(view, rec)
    const at = `after ${rec.seq} ${rec.ev.type}`
    expect(isBusy(facts), at).toBe(isAnyBusy(state))
    const pending = pendingOf(facts).map(item => item.id)
    expect([...pending].sort(), at).toEqual(waitingIds(state))
    expect(view.pending.map(item => item.id).sort(), at).toEqual([...pending].sort())
  }
}

function isAnyBusy(state: SessionState): boolean {
  if (next(state, state.agents).do !== 'rest') return true
  // A message queued behind a pause starts a separate run later, so streams of the session stay open for it.
  if (state.queue.some(queued => !queued.held)) return true
  return Object.values(state.agents).some(agent => {
    if (!agent.spec.background) return false
    // One that ended is reported to the model by a message, unless it was cancelled.
    if (agent.ended) return agent.ended.type !== 'run.cancelled'
    return next(agent, state.agents).do !== 'rest'
  })
}

function waitingIds(state: SessionState): readonly string[] {
  const agents: readonly AgentState[] = [
    state,
    ...Object.values(state.agents).filter(agent => !agent.finished),
  ]
  return agents
    .flatMap(agent => agent.calls)
    .filter(isWaiting)
    .map(call => (call.approval && !call.approval.decision ? call.approval.approval_id : call.call_id))
    .sort()
}
