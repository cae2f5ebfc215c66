/**
 * The loop's port to tools. The loop decides when; the tool system decides what may run, runs it, and answers with
 * events. It never throws for anything a model or a tool did.
 */
import type { EventOf, SessionEvent, ToolSpec } from './event.ts'
import type { LifecycleHooks } from './lifecycle-hooks.ts'
import type { AgentState, CallState, SessionState } from './state/state.ts'
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

/** An event beside the conversation, and the note that it was delivered. */
export interface Notice {
  readonly text: string
  readonly note: Pick<EventOf<'note'>, 'name' | 'value'>
}

export interface ToolSystem {
  /** Hooks of the session and its runs; absent without any. */
  readonly hooks?: LifecycleHooks
  /** Looks for tools that came or went; before every turn. Never throws. */
  readonly refresh?: () => Promise<void>
  /** Notices that the agent's model has not received; the caller commits the notes. Pure. */
  readonly news?: (scope: ToolScope) => readonly Notice[]
  /** The tools offered to the model, in a stable order (prompt caches depend on it). */
  readonly specs: (scope: ToolScope) => readonly ToolSpec[]
  /** The runner of a tool of this name. Unknown names are treated as server tools and fail at lookup. */
  readonly describe: (
    name: string,
    scope: ToolScope,
  ) => Omit<NonNullable<EventOf<'block.started'>['tool']>, 'call_id' | 'name'>
  /**
   * Called when a call's block has ended: parses and checks the arguments. `tool.ready` when
   * they are complete and valid; nothing otherwise (settle says why, once the message has ended).
   */
  readonly ready: (
    call: CallState,
    scope: ToolScope,
    voice: ToolHost,
  ) => Promise<readonly EventOf<'tool.ready'>[]>
  /**
   * Advances calls as far as possible without an external answer: to a terminal event, to a waiting approval, or
   * to a client request. Each call gets exactly one terminal event, ever.
   */
  readonly settle: (calls: readonly CallState[], scope: ToolScope, voice: ToolHost) => Promise<void>
  /** Begins a call while the model still writes, where that is safe; `settle` waits for it. Never throws. */
  readonly startEager?: (call: CallState, scope: ToolScope, voice: ToolHost) => void
  /** Resolves when every call that may begin early has said so, or will not: before the message is said to have ended. */
  readonly eagerDecided?: (scope: ToolScope) => Promise<void>
  /** Keeps the report of an agent in the background where outputs of its call are kept; the path, or undefined when it could not be. Never throws. */
  readonly keepReport?: (session_id: string, call_id: string, text: string) => Promise<string | undefined>
  /**
   * Releases resources that calls of the session keep beyond their own end; called when its runner becomes idle.
   * Never throws.
   */
  readonly sweep?: (session_id: string, session: SessionState) => void
}
