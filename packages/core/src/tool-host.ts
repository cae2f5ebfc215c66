/** Tools and hooks get this for one step of the loop: the session that it works on, and services. */
import type { EventOf, SessionEvent } from './event.ts'
import type { AgentState, SessionState } from './state/state.ts'
import type { AgentEnd, AgentSpec, LiveAgents } from './tool.ts'

/** The session and agent a call belongs to. */
export interface ToolScope {
  readonly session_id: string
  readonly session: () => SessionState
  readonly agent: () => AgentState
  readonly agent_run_id?: string
}

/** Event output and services for one step. Facts are committed before side effects. */
export interface ToolHost {
  /** Queues previews (progress); they reach watchers soon. */
  readonly emit: (...events: SessionEvent[]) => Promise<void> | undefined
  /** Facts: resolves when they are committed. */
  readonly commit: (...events: SessionEvent[]) => Promise<void>
  /** Time and run of an event that is made now. */
  readonly stamp: () => {
    readonly ts: string
    readonly run_id?: string
    readonly turn?: number
    readonly agent_run_id?: string
  }
  readonly signal: AbortSignal
  /** Aborted too when this call alone is stopped. */
  readonly signalFor?: (call_id: string) => AbortSignal
  /** Ends the subagent that a stopped call works through, if there is one. */
  readonly closeAgent?: (call_id: string, reason: string) => Promise<void>
  /** This ownership; a call started in an older one was cut off by a crash. */
  readonly epoch: number
  /** Ends when new inputs (answers, cancel) are in the folded state. */
  readonly newId: (prefix: string) => string
  /** Runs the subagent of a call, or continues it. Rejects only if the log cannot be written. */
  readonly runAgent?: (call_id: string, spec: AgentSpec) => Promise<AgentEnd>
  readonly agents?: LiveAgents
  /** Closes a question that no longer needs an answer. Works also after the runner has released the session. */
  readonly withdraw?: (question: Withdrawal) => Promise<void>
  /** Records an event after the end, also after the runner has released the session. Wakes no runner. */
  readonly record?: (event: EventOf<'note'>) => Promise<void>
}

export interface Withdrawal {
  readonly approval_id: string
  readonly call_id: string
  readonly agent_run_id?: string | undefined
  readonly reason: string
}
