/** One agent's view of the journal: the root of a session, or a subagent inside it. */
import {
  type AgentState,
  type EventOf,
  next,
  type SessionEvent,
  type SessionState,
  type Step,
} from '@toolwire/core'
import type { Journal } from './journal.ts'

/** The time and the ids of now; the only impurity of the loop. */
export interface Clock {
  readonly now: () => Date
}

export interface AgentPort {
  readonly journal: Journal
  readonly agent_run_id: string | undefined
  readonly state: () => AgentState
  readonly emit: (...events: SessionEvent[]) => Promise<void> | undefined
  readonly commit: (...events: SessionEvent[]) => Promise<void>
  /** The next step once everything queued and `events` is stored, and the state it is taken in. */
  readonly predictState: (...events: readonly SessionEvent[]) => {
    readonly step: Step
    readonly state: AgentState
  }
  readonly stamp: () => Stamp
}

export interface Stamp {
  readonly ts: string
  readonly run_id?: string
  readonly agent_run_id?: string
}

const GONE: AgentState = { phase: 'idle', turns: 0, calls: [], messages: [], aborted_calls: [], queue: [] }

export function createAgentPort(journal: Journal, clock: Clock, agent_run_id?: string): AgentPort {
  const stateIn = (session: SessionState): AgentState =>
    agent_run_id === undefined ? session : (session.agents[agent_run_id] ?? GONE)
  const state = (): AgentState => stateIn(journal.state)
  return {
    journal,
    agent_run_id,
    state,
    emit: (...events) => journal.emit(...events),
    commit: (...events) => journal.commit(...events),
    predictState(...events) {
      const session = journal.predictState(...events)
      const ahead = stateIn(session)
      return { step: next(ahead, session.agents), state: ahead }
    },
    stamp() {
      const ts = timeOf(clock.now())
      const background = agent_run_id !== undefined && journal.state.agents[agent_run_id]?.spec.background
      // Background work outlives the session's runs; it keeps the run in which it started.
      const run_id = (background ? state().run : journal.state.run)?.run_id
      return agent_run_id === undefined ? { ts, run_id } : { ts, run_id, agent_run_id }
    },
  }
}

let lastTime = Number.NaN
let lastText = ''

/** Many deltas, of all sessions, fall into one millisecond, and its text is dear. */
function timeOf(now: Date): string {
  const time = now.getTime()
  if (time !== lastTime) {
    lastText = now.toISOString()
    lastTime = time
  }
  return lastText
}

/** Usage and time of a run, as every terminal event reports them. */
export function runTotals(
  state: AgentState,
  now: Date,
): Pick<EventOf<'run.failed'>, 'usage_by_model' | 'cost_usd' | 'duration_ms' | 'num_turns'> {
  const run = state.run
  const usage = run?.usage ?? []
  const priced = usage.filter(row => row.cost_usd !== undefined)
  return {
    usage_by_model: [...usage],
    // A total is given only if every part of it is known.
    cost_usd:
      priced.length === usage.length && usage.length > 0
        ? sum(priced.map(row => row.cost_usd ?? 0))
        : undefined,
    duration_ms: run ? Math.max(0, now.getTime() - Date.parse(run.started_at)) : 0,
    num_turns: run?.num_turns ?? 0,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
