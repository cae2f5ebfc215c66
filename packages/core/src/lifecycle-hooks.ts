/** The loop's port to hooks of sessions and runs. Those around the calls of tools belong to the tool system. */
import type { EventOf, PauseReason, PendingItem } from './event.ts'
import type { ToolHost, ToolScope } from './tool-host.ts'

interface CallSubject {
  readonly call_id: string
  readonly tool: string
}

/** Events whose hooks decide something, with what they are asked. */
interface HookQuestions {
  /** Before the first request of a session. */
  readonly session_start: { readonly model: string }
  /** Before the first request of a subagent. */
  readonly agent_start: { readonly agent_name: string; readonly prompt: string }
  /** Before a model gets a person's message. */
  readonly message: { readonly message_id: string; readonly text: string }
  /** Before a person is asked about a call. */
  readonly permission_request: CallSubject & {
    readonly input: unknown
    readonly reason: string
    readonly cwd: string
  }
  /** Before the model gets the denial. */
  readonly permission_denied: CallSubject & { readonly input_text: string; readonly reason: string }
  /** Once every call of a message has ended. */
  readonly after_tool_batch: {
    readonly calls: readonly (CallSubject & { readonly is_error: boolean })[]
  }
  readonly before_compact: { readonly messages: number }
  /** Before a run ends well; `times` is the number of times that hooks have sent it on. */
  readonly before_stop: { readonly result_text: string; readonly times: number }
  /** The same for a subagent. */
  readonly agent_stop: HookQuestions['before_stop'] & { readonly agent_name: string }
  /** Before a person is asked what a call wants to know. */
  readonly elicitation: CallSubject & {
    readonly message: string
    readonly schema?: unknown
    readonly url?: string
  }
}

/** Events that hooks are informed of, after they happened. */
interface HookReports {
  readonly run_end: {
    readonly status: 'completed' | 'failed' | 'cancelled'
    readonly result_text?: string
    readonly reason?: string
  }
  readonly after_compact: { readonly replaced: number }
  readonly context_loaded: {
    readonly generation: number
    readonly parts: readonly Pick<EventOf<'context.set'>['parts'][number], 'key' | 'source' | 'sha256'>[]
    readonly skipped: readonly string[]
  }
  /** The run waits for a person. */
  readonly notification: { readonly reason: PauseReason; readonly pending: readonly PendingItem[] }
}

type Named<Bodies> = {
  readonly [Name in keyof Bodies]: { readonly event: Name } & Bodies[Name]
}[keyof Bodies]

export type HookQuestion = Named<HookQuestions>
export type HookReport = Named<HookReports>
export type LifecycleEvent = HookQuestion['event'] | HookReport['event']
export type HookEffect = EventOf<'hook.answered'>['effect']

export interface HookWork {
  readonly scope: ToolScope
  readonly voice: Pick<ToolHost, 'commit' | 'stamp' | 'signal'>
}

export interface LifecycleHooks {
  /** True if a hook is configured for the event. */
  readonly watches: (event: LifecycleEvent) => boolean
  /**
   * Asks each hook once about the same question: every answer is committed before it has an effect, and read from the
   * log after a crash. An answer that stops the run is committed with its cancel. An empty effect once `signal` is
   * aborted. Rejects only when the log cannot be written.
   */
  readonly ask: (question: HookQuestion, work: HookWork) => Promise<HookEffect>
  /** Does not wait for the hooks. Never throws. */
  readonly report: (report: HookReport, scope: ToolScope, signal: AbortSignal) => void
}
