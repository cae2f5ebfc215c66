/** Makes the prompt of a session; the loop records and sends what it returns. */
import type { EventOf } from './event.ts'
import type { SessionState } from './state/state.ts'

export interface PromptRequest {
  readonly session_id: string
  readonly session: SessionState
  readonly model: { readonly id: string; readonly context?: number }
  /** Names of the tools that are offered. */
  readonly tools: readonly string[]
  readonly now: Date
  readonly signal: AbortSignal
}

export type SessionPrompt = Pick<
  EventOf<'context.set'>,
  'generation' | 'parts' | 'facts' | 'skipped' | 'warnings' | 'skills' | 'agents'
>

export type ContextChange = Pick<EventOf<'context.changed'>, 'key' | 'value' | 'text' | 'skills'>

export interface PromptSource {
  /** The prompt of a session, for its first request and for a new generation. Never throws: what cannot be read is left out, with a warning. */
  readonly make: (request: PromptRequest) => Promise<SessionPrompt>
  /** One change per fact that is another one than what the model knows; none for a session without a prompt. Never throws. */
  readonly changes: (
    request: Pick<PromptRequest, 'session_id' | 'session' | 'model' | 'now'>,
  ) => Promise<readonly ContextChange[]>
  /** The skill that a message names: `/name`, and what it is to do. Undefined when it names none. Never throws. */
  readonly skillIn?: (text: string, session: SessionState) => Promise<NamedSkill | undefined>
}

export type NamedSkill = Pick<EventOf<'skill.loaded'>, 'name' | 'sha256' | 'dir' | 'text'>
