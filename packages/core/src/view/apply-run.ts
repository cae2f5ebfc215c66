/** Exchanges and their runs: queued, started, paused, resumed, ended. */
import type { EventOf } from '../event.ts'
import { abortMessage } from './abort-message.ts'
import { closeCalls } from './apply-call.ts'
import { addTo, toMs } from './fields.ts'
import { addTime, setTotals, sumStats } from './stats.ts'
import { type MessageView, NO_STATS, type SessionView, type TurnView } from './view.ts'

type RunEnd = EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>
type RunEvent = RunEnd | EventOf<'run.started' | 'run.paused' | 'run.resumed'>

export function applyRun(view: SessionView, ev: RunEvent): SessionView {
  if (ev.agent_run_id !== undefined) return applyNested(view, ev)
  switch (ev.type) {
    case 'run.started':
      return started(view, ev)
    case 'run.resumed':
      return view
    case 'run.paused':
      return paused(view, ev)
    default:
      return ended(view, ev)
  }
}

/** A message waits until a run with its id takes it up. */
export function queueMessage(view: SessionView, ev: EventOf<'input.message'>): SessionView {
  const message: MessageView = addTo<MessageView>(
    {
      id: ev.message_id,
      role: ev.role,
      state: 'queued',
      seq: view.head,
      content: ev.content,
      blocks: [],
      started_at: Date.parse(ev.ts),
    },
    { run_id: ev.run_id, model: ev.model },
  )
  if (ev.agent_run_id !== undefined) return view
  // Told to the model in the middle of its work: part of the exchange at once.
  if (ev.if_paused === 'join' && view.phase === 'running')
    return changeTurn(takeUp(view, message), turn => ({ ...turn, messages: [...turn.messages, message.id] }))
  return { ...view, queue: [...view.queue, message] }
}

function started(view: SessionView, ev: EventOf<'run.started'>): SessionView {
  const run_id = ev.run_id ?? ev.conversation_id
  const { pause: _, ...rest } = view
  const running: SessionView = { ...rest, phase: 'running' }
  const message = view.queue.find(queued => queued.run_id === run_id)
  const taken = message ? takeUp(running, message) : running
  const open = view.turns.at(-1)
  if (open?.id === ev.conversation_id)
    return {
      ...taken,
      turns: view.turns.with(-1, {
        ...open,
        runs: [...open.runs, run_id],
        state: 'running',
        run_started_at: Date.parse(ev.ts),
        // Words that came with the results of a pause belong to the same exchange.
        messages: message ? [...open.messages, message.id] : open.messages,
      }),
    }
  const turn: TurnView = {
    id: ev.conversation_id,
    runs: [run_id],
    state: 'running',
    messages: message ? [message.id] : [],
    client_tools: ev.client_tools,
    model: ev.model,
    started_at: message?.started_at ?? Date.parse(ev.ts),
    run_started_at: Date.parse(ev.ts),
    attempt: 1,
    stats: NO_STATS,
  }
  return { ...taken, turns: [...view.turns, turn], earlier_stats: view.stats }
}

const takeUp = (view: SessionView, message: MessageView): SessionView => ({
  ...view,
  queue: view.queue.filter(queued => queued !== message),
  messages: view.messages.set(message.id, { ...message, state: 'complete' }),
})

function paused(view: SessionView, ev: EventOf<'run.paused'>): SessionView {
  const pause = addTo<NonNullable<SessionView['pause']>>(
    { reason: ev.reason },
    { expires_at: toMs(ev.expires_at) },
  )
  const next: SessionView = { ...view, phase: 'paused', pause }
  return changeTurn(next, turn => ({
    ...turn,
    state: 'paused',
    stats: addTime(turn.stats, Date.parse(ev.ts) - turn.run_started_at),
  }))
}

function ended(view: SessionView, ev: RunEnd): SessionView {
  const { pause: _, ...rest } = closeOpen(view, ev)
  return changeTurn({ ...rest, phase: 'idle', cancelling: false }, turn => ({
    ...turn,
    ended_at: Date.parse(ev.ts),
    stats: addTime(setTotals(turn.stats, ev), ev.duration_ms),
    ...ending(ev),
  }))
}

/** Calls and a message that never got an end of their own. */
function closeOpen(view: SessionView, ev: RunEnd): SessionView {
  const closed = closeCalls(view, ev.ts, ev.type === 'run.cancelled' ? 'cancelled' : 'lost')
  const message = view.messages.get(view.turns.at(-1)?.messages.at(-1) ?? '')
  if (message?.state !== 'streaming') return closed
  return abortMessage(closed, message, { ts: ev.ts, reason: 'interrupted' })
}

function ending(ev: RunEnd): Pick<TurnView, 'state' | 'outcome' | 'error' | 'cancel_reason'> {
  switch (ev.type) {
    case 'run.completed':
      return { state: 'completed', outcome: { status: ev.status, finish: ev.finish } }
    case 'run.failed':
      return { state: 'failed', error: ev.error }
    case 'run.cancelled':
      return { state: 'cancelled', cancel_reason: ev.reason }
  }
}

/** Changes the latest exchange and everything summed from it. */
export function changeTurn(view: SessionView, change: (turn: TurnView) => TurnView): SessionView {
  const turn = view.turns.at(-1)
  if (!turn) return view
  const next = change(turn)
  const turns = view.turns.with(-1, next)
  if (next.stats === turn.stats) return { ...view, turns }
  return { ...view, turns, stats: sumStats([view.earlier_stats, next.stats]) }
}

/** A nested agent's own run: only its totals matter, `agent.finished` tells the rest. */
function applyNested(view: SessionView, ev: RunEvent): SessionView {
  const agent = view.agents.get(ev.agent_run_id ?? '')
  if (!agent || !('usage_by_model' in ev)) return view
  const stats = addTime(setTotals(agent.stats, ev), ev.duration_ms)
  return { ...view, agents: view.agents.set(agent.id, { ...agent, stats }) }
}
