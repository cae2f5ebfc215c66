/** The fold from events to facts. */
import { activeBranch, branchPath, openBranch, selectBranch } from '../branches/branch-tree.ts'
import type { EventOf, EventType, Rec, Seq, SessionEvent } from '../event.ts'
import { advanceApproval, advanceCall, closeItems } from './advance-items.ts'
import { advanceQueue } from './advance-queue.ts'
import { advanceStarts } from './advance-starts.ts'
import type { Facts } from './facts.ts'

/** Folds the next record; records come in order, without gaps. A record that changes nothing returns the same object. */
export function advance(facts: Facts, rec: Rec): Facts {
  if (!CHANGES.has(rec.ev.type)) return facts
  const described = advanceSession(facts, rec)
  const queued = advanceQueue(advanceRuns(described, rec), rec)
  const next = advanceApproval(advanceCall(queued, rec), rec)
  return advanceStarts(facts, advanceAnswers(next, rec.ev), rec)
}

const CHANGES: ReadonlySet<EventType> = new Set<EventType>([
  'session.created',
  'session.updated',
  'session.bound',
  'branch.opened',
  'branch.selected',
  'input.message',
  'input.delivered',
  'input.changed',
  'input.withdrawn',
  'input.tool_output',
  'input.approval',
  'input.cancel',
  'run.started',
  'run.paused',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'agent.started',
  'agent.finished',
  'block.started',
  'tool.ready',
  'tool.client_requested',
  'tool.approval_requested',
  'tool.approval_resolved',
  'tool.completed',
  'tool.failed',
])

function advanceSession(facts: Facts, { seq, ev }: Rec): Facts {
  switch (ev.type) {
    case 'session.created': {
      const { cwd, tools, model } = ev
      return {
        ...facts,
        session: {
          cwd,
          tools,
          model,
          provider_session_id: null,
          permission_mode: ev.permission_mode,
          ...updatesOf(ev),
        },
      }
    }
    case 'session.updated':
      return facts.session ? { ...facts, session: { ...facts.session, ...updatesOf(ev) } } : facts
    case 'session.bound':
      return facts.session
        ? { ...facts, session: { ...facts.session, provider_session_id: ev.provider_session_id } }
        : facts
    case 'branch.opened':
      return withBranches(facts, openBranch(facts.branches, ev, seq))
    case 'branch.selected':
      return withBranches(facts, selectBranch(facts.branches, ev.branch_id))
    default:
      return facts
  }
}

const withBranches = (facts: Facts, branches: Facts['branches']): Facts =>
  facts.isStarted || !branches || branches === facts.branches ? facts : { ...facts, branches }

const updatesOf = ({
  title,
  model,
  permission_mode,
  effort,
}: EventOf<'session.created' | 'session.updated'>) => ({
  ...(title === undefined ? {} : { title }),
  ...(model === undefined ? {} : { model }),
  ...(permission_mode === undefined ? {} : { permission_mode }),
  ...(effort === undefined ? {} : { effort }),
})

function advanceRuns(facts: Facts, { seq, ev }: Rec): Facts {
  switch (ev.type) {
    case 'agent.started':
      return startAgent(facts, ev, seq)
    case 'agent.finished':
      return finishAgent(facts, ev.agent_run_id)
    case 'input.message': {
      const known = reported(close(facts, ev.notifies), ev.notifies)
      const isQueued = ev.agent_run_id === undefined && !isReportOfOther(facts, ev)
      return isQueued ? open(known, ev.run_id) : known
    }
    default:
      return ev.agent_run_id === undefined
        ? advanceRootRun(facts, ev)
        : advanceAgentRun(facts, ev, ev.agent_run_id)
  }
}

/** The report of an agent that another branch started stays there: no run follows. */
function isReportOfOther(
  { branches, unreported }: Facts,
  { notifies = '' }: EventOf<'input.message'>,
): boolean {
  const point = unreported[notifies]
  return branches !== undefined && point !== undefined && !branchPath(branches)(point)
}

function reported(facts: Facts, id: string | undefined): Facts {
  if (id === undefined || !(id in facts.unreported)) return facts
  const { [id]: _, ...unreported } = facts.unreported
  return { ...facts, unreported }
}

function advanceRootRun(facts: Facts, ev: SessionEvent): Facts {
  switch (ev.type) {
    case 'run.started':
      return {
        ...open(unpause(facts, ''), ev.run_id),
        isPaused: false,
        isStarted: true,
        conversation_id: ev.conversation_id,
        conversations: facts.conversations + (ev.resumes_run_id === undefined ? 1 : 0),
        // A cancel that met nothing to cancel does not reach a later run.
        isCancelled: ev.resumes_run_id === undefined ? false : facts.isCancelled,
      }
    case 'run.paused':
      return { ...close(pause(facts, '', ev.pending), ev.run_id), isPaused: true }
    case 'run.completed':
      return endRun(facts, ev.run_id, undefined)
    case 'run.failed':
      return endRun(facts, ev.run_id, ev.error)
    case 'run.cancelled':
      return endRun(facts, ev.run_id, facts.error)
    default:
      return facts
  }
}

/** The end of a run closes every item but those of background agents. */
function endRun(facts: Facts, run_id: string | undefined, error: Facts['error']): Facts {
  const background = new Set(facts.background.map(agent => agent.id))
  const { error: _, ...rest } = closeItems(
    close(facts, run_id),
    ({ agent_run_id }) => agent_run_id === undefined || !background.has(agent_run_id),
  )
  const ended = { ...rest, isPaused: false, isStarted: false, isCancelled: false }
  return error ? { ...ended, error: { code: error.code, message: error.message } } : ended
}

/** Runs of agents count only in the background: the others belong to the run of the session. */
function advanceAgentRun(facts: Facts, ev: SessionEvent, id: string): Facts {
  const isRoot = facts.background.some(agent => agent.isRoot && agent.id === id)
  switch (ev.type) {
    case 'run.started':
      return isRoot ? open(unpause(facts, id), id) : facts
    case 'run.paused':
      return isRoot ? close(pause(facts, id, ev.pending), id) : facts
    case 'run.cancelled':
      return isRoot ? reported(close(facts, id), id) : facts
    default:
      return facts
  }
}

function startAgent(facts: Facts, ev: EventOf<'agent.started'>, seq: Seq): Facts {
  const { agent_run_id: id, parent_agent_run_id = '', background = false } = ev
  if (!background && !facts.background.some(agent => agent.id === parent_agent_run_id)) return facts
  const point = facts.unreported[parent_agent_run_id] ?? { branch: activeBranch(facts.branches), seq }
  const known = {
    ...facts,
    unreported: { ...facts.unreported, [id]: point },
    background: [...facts.background.filter(agent => agent.id !== id), { id, isRoot: background }],
  }
  if (!background) return known
  return open({ ...known, launched: { ...facts.launched, [ev.parent_call_id]: id } }, id)
}

function finishAgent(facts: Facts, id: string): Facts {
  const launched = Object.entries(facts.launched).filter(([, agent]) => agent !== id)
  const isRoot = facts.background.some(agent => agent.isRoot && agent.id === id)
  const closed = closeItems(unpause(facts, id), ({ agent_run_id }) => agent_run_id === id)
  return {
    ...(isRoot ? closed : reported(closed, id)),
    launched: Object.fromEntries(launched),
    background: facts.background.filter(agent => agent.id !== id),
  }
}

const open = (facts: Facts, id: string | undefined): Facts =>
  id === undefined || facts.open.includes(id) ? facts : { ...facts, open: [...facts.open, id] }

const close = (facts: Facts, id: string | undefined): Facts =>
  id !== undefined && facts.open.includes(id)
    ? { ...facts, open: facts.open.filter(one => one !== id) }
    : facts

const pause = (facts: Facts, id: string, pending: EventOf<'run.paused'>['pending']): Facts => ({
  ...facts,
  pauses: { ...facts.pauses, [id]: pending.map(item => ({ id: item.id, call_id: item.call_id })) },
})

function unpause(facts: Facts, id: string): Facts {
  if (!(id in facts.pauses)) return facts
  const { [id]: _, ...pauses } = facts.pauses
  return { ...facts, pauses }
}

/** An answer may come before its pause: while the run was about to pause. */
function advanceAnswers(facts: Facts, ev: SessionEvent): Facts {
  switch (ev.type) {
    case 'input.tool_output':
      return answer(facts, ev.call_id)
    case 'input.approval':
      return answer(facts, ev.approval_id)
    case 'input.cancel':
      return ev.call_id === undefined ? { ...facts, isCancelled: true } : answer(facts, ev.call_id)
    case 'tool.completed':
    case 'tool.failed':
      return settle(facts, ev.call_id)
    case 'tool.approval_resolved':
      return settle(facts, ev.approval_id)
    default:
      return facts
  }
}

const answer = (facts: Facts, id: string): Facts =>
  facts.answered.includes(id) ? facts : { ...facts, answered: [...facts.answered, id] }

const settle = (facts: Facts, id: string): Facts =>
  facts.answered.includes(id) ? { ...facts, answered: facts.answered.filter(one => one !== id) } : facts
