/** Exchanges and their runs: queued, started, paused, resumed, ended. */

import { activeBranch } from '../branches/branch-tree.ts'
import type { EventOf } from '../event.ts'
import { abortMessage } from './abort-message.ts'
import { closeCalls } from './apply-call.ts'
import { holdMessages, takeUp } from './apply-queue.ts'
import { changeTurn } from './change-turn.ts'
import { type EventReader, type EventReaders, FAILURE, TEXTS, USAGE } from './event-shapes.ts'
import { addTo, toMs } from './fields.ts'
import { MAYBE_NUMBER, MAYBE_TEXT, maybe, NUMBER, type ShapeOf, TEXT } from './shape.ts'
import { addTime, setTotals } from './stats.ts'
import { NO_STATS, type SessionView, type TurnView } from './view.ts'

type RunEnd = EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>
function started(view: SessionView, ev: EventOf<'run.started'>): SessionView {
  if (ev.agent_run_id !== undefined) return view
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
    seq: view.head,
    branch: activeBranch(view.branches),
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

function paused(view: SessionView, ev: EventOf<'run.paused'>): SessionView {
  if (ev.agent_run_id !== undefined) return view
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

type Ending = Pick<TurnView, 'state' | 'outcome' | 'error' | 'cancel_reason'>

function ended(view: SessionView, ev: RunEnd, ending: Ending): SessionView {
  const { pause: _, ...rest } = closeOpen(view, ev, ending)
  const left = holdMessages(rest, 'queue_held' in ev ? ev.queue_held : undefined)
  return changeTurn({ ...left, phase: 'idle', cancelling: false }, turn => ({
    ...turn,
    ended_at: Date.parse(ev.ts),
    stats: addTime(setTotals(turn.stats, ev), ev.duration_ms),
    ...ending,
  }))
}

/** Closes calls and a message without a terminal event. */
function closeOpen(view: SessionView, { ts }: RunEnd, { state }: Ending): SessionView {
  const closed = closeCalls(view, ts, state === 'cancelled' ? state : 'lost')
  const message = view.messages.get(view.turns.at(-1)?.messages.at(-1) ?? '')
  if (message?.state !== 'streaming') return closed
  return abortMessage(closed, message, { ts, reason: 'interrupted' })
}

const TOTALS = {
  usage_by_model: [{ model: TEXT, usage: USAGE, cost_usd: MAYBE_NUMBER }],
  cost_usd: MAYBE_NUMBER,
  duration_ms: NUMBER,
  num_turns: NUMBER,
}

/** The end of a run. For a nested agent only the totals matter; `agent.finished` has the rest. */
const onEnd = <E extends RunEnd>(reads: NoInfer<ShapeOf<E>>, ending: (ev: E) => Ending): EventReader<E> => [
  { ...reads, ...TOTALS },
  (view, ev) => {
    if (ev.agent_run_id === undefined) return ended(view, ev, ending(ev))
    const agent = view.agents.get(ev.agent_run_id)
    if (!agent) return view
    const stats = addTime(setTotals(agent.stats, ev), ev.duration_ms)
    return { ...view, agents: view.agents.set(agent.id, { ...agent, stats }) }
  },
]

export const RUN_READERS: EventReaders<
  'run.started' | 'run.paused' | 'run.completed' | 'run.failed' | 'run.cancelled'
> = {
  'run.started': [
    {
      conversation_id: TEXT,
      client_tools: [{ name: TEXT, description: MAYBE_TEXT, input_schema: {}, freeform: maybe({}) }],
      model: TEXT,
    },
    started,
  ],
  'run.paused': [{ reason: TEXT, expires_at: MAYBE_TEXT }, paused],
  'run.completed': onEnd({ status: TEXT, finish: TEXT }, ({ status, finish }) => ({
    state: 'completed',
    outcome: { status, finish },
  })),
  'run.failed': onEnd({ error: FAILURE, queue_held: maybe(TEXTS) }, ({ error }) => ({
    state: 'failed',
    error,
  })),
  'run.cancelled': onEnd({ reason: TEXT, queue_held: maybe(TEXTS) }, ({ reason }) => ({
    state: 'cancelled',
    cancel_reason: reason,
  })),
}
