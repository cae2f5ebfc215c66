/**
 * The loop's port to tools. The loop decides when; the tool system decides what may run, runs it, and answers with
 * events. It never throws for anything a model or a tool did.
 */
import type { EventOf, ToolSpec } from './event.ts'
import type { LifecycleHooks } from './lifecycle-hooks.ts'
import type { CallState, SessionState } from './state/state.ts'
import type { ToolHost, ToolScope } from './tool-host.ts'

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
