/**
 * The conversation as a model may see it: a projection of the log that cannot hold
 * an unpaired call. Order and raw argument text are those of the log.
 */
import type { ContentPart, Opaque } from '../event.ts'

type PlainPart =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly unknown[] }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: unknown }
  | {
      readonly type: 'tool_use'
      readonly call_id: string
      readonly name: string
      readonly input_text: string
    }
  | {
      readonly type: 'provider'
      readonly kind: 'provider_tool_use' | 'provider_tool_result' | 'file'
      readonly data: unknown
      readonly input_text?: string
    }
  | { readonly type: 'refusal'; readonly text: string }

/** `opaque` is what the provider attached to the part; it goes back to this provider alone. */
export type AssistantPart = PlainPart & { readonly opaque?: Opaque }

export interface ToolResultPart {
  readonly type: 'tool_result'
  readonly call_id: string
  readonly name: string
  readonly output_text: string
  readonly content: readonly ContentPart[]
  readonly is_error: boolean
  /** The source of text when others wrote it; absent once it is fenced. */
  readonly outside?: string
}

export type HistoryMessage =
  | { readonly role: 'user'; readonly content: readonly ContentPart[] }
  | { readonly role: 'system'; readonly content: readonly ContentPart[] }
  | {
      readonly role: 'assistant'
      readonly message_id: string
      readonly provider: string
      readonly model: string
      readonly content: readonly AssistantPart[]
    }
  /** All results of the assistant message before it, in call order. */
  | { readonly role: 'tool'; readonly results: readonly ToolResultPart[] }
