/** The shapes of a Messages answer, streamed and whole. */
import type { PendingItem } from '@toolwire/core'
import type { Citation } from '../gateway/answer-part.ts'
import type { Warning } from '../gateway/warning.ts'

export interface MessagesUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly server_tool_use?: { readonly web_search_requests: number }
}

export type MessageBlock =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly Citation[] }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | ProviderBlock

/** A block of a tool that the provider ran, as received. */
export interface ProviderBlock {
  readonly type: 'server_tool_use' | 'mcp_tool_use' | 'container_upload' | `${string}_tool_result`
  readonly [field: string]: unknown
}

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'citations_delta'; readonly citation: Citation }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'refusal'
  | 'model_context_window_exceeded'

/** Fields of both forms beyond the vendor's. */
interface MessageExtra {
  readonly warnings?: readonly Warning[]
  /** Approvals and questions that the run waits for. */
  readonly pending?: readonly PendingItem[]
}

export interface Message extends MessageExtra {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly MessageBlock[]
  readonly stop_reason: StopReason | null
  readonly stop_sequence: null
  readonly stop_details?: unknown
  readonly usage: MessagesUsage
}

export type MessageEvent =
  | { readonly type: 'message_start'; readonly message: Message }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: MessageBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | ({
      readonly type: 'message_delta'
      readonly delta: {
        readonly stop_reason: StopReason
        readonly stop_sequence: null
        readonly stop_details?: unknown
      }
      readonly usage: MessagesUsage
    } & MessageExtra)
  | { readonly type: 'message_stop' }
