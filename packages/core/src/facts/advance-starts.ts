/** The positions from which a projection can start, and what it has to know there. */
import type { EventOf, Rec, Seq, SessionEvent } from '../event.ts'
import type { ConversationStart, Facts } from './facts.ts'

/** Conversations whose starts are kept. */
const KEPT = 8

/** `next` are the facts after the record, `before` those before it. */
export function advanceStarts(before: Facts, next: Facts, { seq, ev }: Rec): Facts {
  const facts = advanceQueued(advanceEnvironment(next, ev), ev)
  if (ev.type !== 'run.started' || ev.agent_run_id !== undefined) return facts
  const tools = ev.client_tools.length > 0 ? { ...facts, toolsAt: seq } : facts
  if (ev.resumes_run_id !== undefined) return tools
  return { ...tools, starts: [...before.starts, startAt(before, seq, ev)].slice(-KEPT) }
}

/** The start of a conversation whose first record will have this seq, or a later one. */
export function startAt(
  facts: Facts,
  seq: Seq,
  run: Pick<EventOf<'run.started'>, 'conversation_id' | 'run_id'>,
): ConversationStart {
  const { environment, queued, pauses, answered, isCancelled, background, open } = facts
  return {
    seq,
    conversation_id: run.conversation_id,
    ...(run.run_id === undefined ? {} : { run_id: run.run_id }),
    provider_session_id: facts.session?.provider_session_id ?? null,
    before: {
      ...(environment ? { environment } : {}),
      queued,
      pauses,
      answered,
      isCancelled,
      background,
      open,
    },
  }
}

function advanceEnvironment(facts: Facts, ev: SessionEvent): Facts {
  switch (ev.type) {
    case 'session.created':
    case 'session.bound': {
      const { cwd, tools, model, permission_mode } = ev
      return { ...facts, environment: { cwd, tools, model, permission_mode } }
    }
    case 'session.updated': {
      if (!facts.environment) return facts
      const { model = facts.environment.model, permission_mode = facts.environment.permission_mode } = ev
      return { ...facts, environment: { ...facts.environment, model, permission_mode } }
    }
    default:
      return facts
  }
}

/** A queued message leaves with its run: when it starts, or when it is closed without a start. */
function advanceQueued(facts: Facts, ev: SessionEvent): Facts {
  if (
    ev.type === 'input.message' &&
    ev.agent_run_id === undefined &&
    ev.run_id !== undefined &&
    facts.open.includes(ev.run_id)
  )
    return { ...facts, queued: { ...facts.queued, [ev.run_id]: ev.message_id } }
  const ids = Object.keys(facts.queued)
  const isStarted = (id: string): boolean => ev.type === 'run.started' && ev.run_id === id
  const isHeld = (id: string): boolean => facts.waiting.some(one => one.run_id === id)
  const waiting = ids.filter(id => (facts.open.includes(id) || isHeld(id)) && !isStarted(id))
  if (waiting.length === ids.length) return facts
  return { ...facts, queued: Object.fromEntries(waiting.map(id => [id, facts.queued[id] ?? ''])) }
}
