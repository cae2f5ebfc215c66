/** Makes the prompt of a session; the loop records and sends what it returns. */
import type { EventOf } from './event.ts'
import type { SessionState } from './state/state.ts'

export interface PromptRequest {
  readonly session: SessionState
  readonly model: { readonly id: string; readonly context?: number }
  /** Names of the tools that are offered. */
  readonly tools: readonly string[]
  readonly now: Date
  readonly signal: AbortSignal
}

export type SessionPrompt = Pick<
  EventOf<'context.set'>,
  'generation' | 'parts' | 'facts' | 'skipped' | 'warnings'
>

export interface PromptSource {
  /** The prompt of a session that has none. Never throws: what cannot be read is left out, with a warning. */
  readonly make: (request: PromptRequest) => Promise<SessionPrompt>
  /** One change per fact that is another one than what the model knows; none for a session without a prompt. Pure. */
  readonly changes: (
    session: SessionState,
    now: Date,
  ) => readonly Pick<EventOf<'context.changed'>, 'key' | 'value' | 'text'>[]
}
