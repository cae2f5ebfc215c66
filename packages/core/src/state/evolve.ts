/**
 * The fold. One small function per event family; deltas and progress change nothing
 * (completions are authoritative), so folding a long stream allocates little.
 */
import type { EventOf, Rec, SessionEvent } from '../event.ts'
import { type LoadedSkill, skillNote } from '../skill-note.ts'
import { toCompaction } from './compaction.ts'
import { evolveBranch, fileReport, isReportOfOther, noteExchange } from './evolve-branch.ts'
import { evolveCall } from './evolve-call.ts'
import { withHookAnswer } from './evolve-hook.ts'
import { cancelWithdrawn, enqueue, evolveQueue, isStartable } from './evolve-queue.ts'
import { evolveRun } from './evolve-run.ts'
import { cancelBackground, dropSettled, endRun, finishAgent, rollUp, startAgent } from './evolve-subagent.ts'
import { evolveTurn } from './evolve-turn.ts'
import type { AgentState, SessionContext, SessionState } from './state.ts'
import { toNotice } from './to-notice.ts'

export function evolve(state: SessionState, rec: Rec): SessionState {
  const { ev } = rec
  // Hot path: a preview only moves the head.
  if (ev.type === 'block.delta' || ev.type === 'tool.progress') return { ...state, head: rec.seq }
  const next = evolveSession({ ...state, head: rec.seq }, ev)
  const agent = ev.agent_run_id
  if (ev.type === 'input.message' && isReportOfOther(next, ev)) return dropSettled(fileReport(next, ev), ev)
  if (agent === undefined) return noteExchange(next, dropSettled(evolveAgent(next, rec), ev), rec)
  if (ev.type === 'agent.started' || ev.type === 'agent.finished')
    return dropSettled(evolveAgent(next, rec), ev)
  const nested = next.agents[agent]
  if (!nested) return next
  const evolved = endRun(evolveAgent(nested, rec), ev)
  const agents = { ...next.agents, [agent]: evolved }
  return dropSettled({ ...rollUp(next, nested, ev), agents }, ev)
}

/** Applies an event to the agent it belongs to. */
function evolveAgent<S extends AgentState>(state: S, rec: Rec): S {
  return { ...state, ...evolveRun(state, rec), ...cancelWithdrawn(state, rec), ...patch(state, rec) }
}

function patch(state: AgentState, rec: Rec): Partial<AgentState> {
  const { ev } = rec
  switch (ev.type) {
    case 'input.message':
      return enqueue(state, rec.seq, ev)
    case 'input.delivered':
    case 'input.changed':
    case 'input.withdrawn':
      return evolveQueue(state, ev)
    case 'context.changed':
      return { queue: [...state.queue, toNotice(ev, rec.seq)] }
    case 'skill.loaded':
      return {
        queue: [...state.queue, toNotice(ev, rec.seq)],
        notes: { ...state.notes, [skillNote(ev.name)]: toLoaded(ev) },
      }
    case 'hook.answered':
      return withHookAnswer(state, ev, rec.seq)
    case 'input.cancel':
      if (ev.call_id !== undefined) return evolveCall(state, { ...ev, call_id: ev.call_id }, rec.epoch)
      return isCancellable(state, ev) ? { cancel: ev } : {}
    case 'turn.started':
    case 'message.started':
    case 'message.aborted':
    case 'turn.completed':
    case 'block.started':
    case 'block.completed':
      return evolveTurn(state, ev)
    case 'tool.ready':
    case 'tool.approval_requested':
    case 'tool.approval_resolved':
    case 'tool.client_requested':
    case 'tool.started':
    case 'tool.completed':
    case 'tool.failed':
    case 'input.tool_output':
    case 'input.approval':
      return evolveCall(state, ev, rec.epoch)
    case 'history.compacted':
      return { compaction: toCompaction(ev), context_tokens: undefined }
    case 'note':
      return { notes: { ...state.notes, [ev.name]: ev.value } }
    default:
      return {}
  }
}

/** A message interrupts only a run that has started: it comes before those that wait. */
const isCancellable = (state: AgentState, { by_message }: EventOf<'input.cancel'>): boolean =>
  state.phase !== 'idle' || (by_message === undefined && state.queue.some(isStartable))

function evolveSession(state: SessionState, ev: SessionEvent): SessionState {
  switch (ev.type) {
    case 'session.created':
      return { ...state, created: ev, ...settings(ev) }
    case 'session.updated':
      return { ...state, ...settings(ev), ...(ev.refresh_context ? stale(state) : {}) }
    case 'history.compacted':
      return ev.agent_run_id === undefined ? { ...state, ...stale(state) } : state
    case 'context.set':
      return { ...state, context: toContext(ev) }
    case 'context.changed':
      return { ...state, ...withFact(state.context, ev) }
    case 'branch.opened':
    case 'branch.selected':
      return evolveBranch(state, ev)
    case 'session.bound':
      return { ...state, provider_session_id: ev.provider_session_id }
    case 'input.cancel':
      return cancelBackground(state, ev)
    case 'agent.started':
      return startAgent(state, ev)
    case 'agent.finished':
      return finishAgent(state, ev)
    case 'run.started':
      if (ev.agent_run_id !== undefined || ev.resumes_run_id !== undefined) return state
      return { ...state, conversations: state.conversations + 1 }
    case 'run.failed':
      if (ev.agent_run_id !== undefined) return state
      return { ...state, last_error: { code: ev.error.code, message: ev.error.message } }
    case 'run.completed': {
      const { last_error: _, ...rest } = state
      return ev.agent_run_id === undefined ? rest : state
    }
    default:
      return state
  }
}

const toContext = ({
  generation,
  parts,
  facts,
  skipped,
  warnings,
  skills,
  agents,
}: EventOf<'context.set'>): SessionContext => ({
  generation,
  parts,
  facts,
  made_with: facts,
  ...(skipped === undefined ? {} : { skipped }),
  ...(warnings === undefined ? {} : { warnings }),
  ...(skills === undefined ? {} : { skills }),
  ...(agents === undefined ? {} : { agents }),
})

const stale = ({ context }: SessionState): Pick<SessionState, 'context'> =>
  context ? { context: { ...context, is_stale: true } } : {}

function withFact(
  context: SessionContext | undefined,
  { key, value, run_id = '', skills }: EventOf<'context.changed'>,
): Pick<SessionState, 'context'> {
  if (!context) return {}
  const count = context.changes?.run_id === run_id ? context.changes.count + 1 : 1
  const facts = { ...context.facts, [key]: value }
  return { context: { ...context, facts, changes: { run_id, count }, ...(skills ? { skills } : {}) } }
}

const toLoaded = ({ sha256, dir, run_id = '' }: EventOf<'skill.loaded'>): LoadedSkill => ({
  sha256,
  dir,
  run_id,
})

function settings(ev: EventOf<'session.created' | 'session.updated'>): Partial<SessionState> {
  const { title, model, permission_mode, effort } = ev
  return {
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(permission_mode === undefined ? {} : { permission_mode }),
    ...(effort === undefined ? {} : { effort }),
  }
}
